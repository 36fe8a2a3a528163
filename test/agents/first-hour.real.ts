import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { npmProject, walkFirstHour, walkOf } from '../support/first-hour.ts';
import { project, program as tidegate } from '../support/project.ts';
import { bash, calling, done, handOff } from './conformance/scenes.ts';
import { modelServer } from './model-server/server.ts';
import { installed } from './support/installed.ts';

const { program } = installed('claude');

/** Past the hook, which sees no path in it: the diff is what holds. */
const stray = `node -e "fs.mkdirSync('.github/workflows', { recursive: true }); fs.writeFileSync('.github/workflows/ci.yml', 'on: push')"`;

test.skipIf(program === null)(
  `the first hour by keys, with a real claude${program === null ? ', WHICH IS NOT INSTALLED' : ''}: a grant calls no model`,
  async () => {
    await using server = await modelServer({
      scripts: {
        triple: {
          turns: [
            calling(bash("echo 'export const triple = (n) => n * 3;' >> src/math.js")),
            calling(bash(stray)),
            calling(handOff),
            done,
          ],
        },
        words: { turns: [calling(bash("echo 'double(n) is twice n.' > words.md")), calling(handOff), done] },
      },
    });
    await using here = await project({
      plan: { tasks: {} },
      files: npmProject,
      env: {
        PATH: `${dirname(program ?? '')}:${process.env['PATH'] ?? ''}`,
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: 'test-key',
      },
    });
    const calls: number[] = [];
    const count = (): void => void calls.push(server.requests().length);
    await walkFirstHour(
      here,
      [process.execPath, tidegate],
      walkOf((task) => `[[script:${task}]] `),
      {
        beforeGrant: count,
        afterGrant: count,
      },
    );
    expect(calls[0]).toBeGreaterThan(0);
    expect(calls[1]).toBe(calls[0]);
  },
);
