import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { project } from '../support/project.ts';
import { bash, calling, done, handOff, write } from './conformance/scenes.ts';
import { modelServer } from './model-server/server.ts';
import { installed } from './support/installed.ts';

const { program } = installed('claude');
const byClaude = (script: string, about: string) => ({ agent: 'claude', do: `[[script:${script}]] ${about}` });

test.skipIf(program === null)(
  `a wave is made, judged by two roles and landed by a real claude${program === null ? ', WHICH IS NOT INSTALLED' : ''}`,
  async () => {
    const verdict = { word: 'pass', summary: 'it is what was asked for', dimensions: { docs: 'pass' } };
    await using server = await modelServer({
      scripts: {
        work: { turns: [calling(write('a.txt', 'a\n')), calling(handOff), done] },
        scan: { turns: [calling(bash('cat a.txt && tidegate verdict concerns --finding "a is short"')), done] },
        judge: {
          turns: [
            calling(bash('cat a.txt')),
            { calls: [{ tool: 'raw', name: 'mcp__tidegate__verdict', input: verdict }] },
            done,
          ],
        },
      },
    });
    await using here = await project({
      plan: {
        land: 'auto',
        limits: { attempts: 1 },
        closure: { security: byClaude('scan', 'Look at a.txt.'), qa: byClaude('judge', 'Is a.txt there?') },
        tasks: { one: { ...byClaude('work', 'Write a.txt. Acceptance: it is there.'), owns: ['a.txt'] } },
      },
      env: {
        PATH: `${dirname(program ?? '')}:${process.env['PATH'] ?? ''}`,
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: 'test-key',
      },
    });
    const { code, stdout, stderr } = await here.cli('run', 'plan.yaml', '--yes', '--json');
    expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
    expect(here.git('show', 'main:a.txt')).toBe('a');
    expect(server.requests().filter(({ problem }) => problem !== null)).toEqual([]);
    const ends = (await here.events()).flatMap(({ event }) =>
      event.type === 'attempt-ended' && event.handoff.kind === 'given'
        ? [[event.task, event.reminded, event.handoff.handoff.report]]
        : [],
    );
    expect(ends).toEqual([
      ['one', false, undefined],
      ['wave-1-security', false, { word: 'concerns', findings: ['a is short'] }],
      ['wave-1-qa', false, { word: 'pass', findings: [], dimensions: { docs: 'pass' } }],
    ]);
  },
);
