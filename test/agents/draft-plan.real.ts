import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { project } from '../support/project.ts';
import { bash, calling, done, handOff, write } from './conformance/scenes.ts';
import { modelServer } from './model-server/server.ts';
import { installed } from './support/installed.ts';

const file = 'tidegate.plan.yaml';
const goal = 'Say hello in src/hello.js, then document it in docs/hello.md';
const planOf = (needs: string): string =>
  `name: hello
waves:
  - tasks:
      hello: {do: Say hello in src/hello.js, owns: [src/hello.js]}
      document: {do: Document src/hello.js in docs/hello.md, owns: [docs/hello.md], needs: [${needs}]}
`;

describe.each([
  { agent: 'claude', keys: (url: string) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'test-key' }) },
])('a plan that $agent drafts', ({ agent, keys }) => {
  const { program } = installed(agent);

  test.skipIf(program === null)(
    `is read before it is done: its mistake is told to the agent, which mends it${program === null ? '; NOT INSTALLED' : ''}`,
    async () => {
      const again = (needs: string) => calling(bash(`cat > ${file} <<'END'\n${planOf(needs)}END`));
      const turns = [
        calling(write(file, planOf('greet'))),
        calling(handOff),
        done,
        again('hello'),
        calling(handOff),
        done,
      ];
      await using server = await modelServer({ scripts: { draft: { turns } } });
      await using here = await project({
        plan: {},
        env: { PATH: `${dirname(program ?? '')}:${process.env['PATH'] ?? ''}`, ...keys(server.urlOf('draft')) },
      });
      const ran = await here.cli('plan', goal, '--agent', agent, '--yes', '--land');
      expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining(`tidegate run ${file}`) });
      expect(here.git('show', `main:${file}`)).toBe(planOf('hello').trim());
      const read = (await here.events()).flatMap(({ event }) =>
        event.type === 'attempt-ended' ? [event.drafted] : [],
      );
      expect(read).toMatchObject([[{ rule: 'unknown-need', where: `${file}:5:93` }], []]);
      const told = JSON.stringify(server.requests('draft').at(-1)?.body);
      expect(told).toContain(`${file}:5:93`);
      expect(await here.cli('run', '--dry-run')).toMatchObject({ code: 0 });
    },
  );
});
