import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkHistory } from '../support/checker.ts';
import { type Project, project } from '../support/project.ts';

/** Wave 0 of the package that waves come from. There it closed with the same reports that keep it open here. */

const matrix = `{
  "version": 1,
  "components": {
    "wave-parser-and-launcher": { "currentLevel": "contract-frozen" },
    "starter-docs-and-adoption-guidance": { "currentLevel": "contract-frozen" }
  }
}
`;
const files = {
  'README.md': '# Starter\n',
  'docs/plans/component-cutover-matrix.json': matrix,
  'docs/plans/current-state.md': '# State\n',
  'docs/plans/wave-orchestrator.md': '# Waves\n',
  'scripts/wave-orchestrator/wave-files.mjs': '\n',
  'test/wave-orchestrator/wave-files.test.ts': '\n',
};

type Open = { readonly actions: readonly { readonly id: string; readonly what: string; readonly owner: string }[] };

/** The barriers that a person has to do something about. */
async function openFor(p: Project, run: string): Promise<readonly string[]> {
  const { actions } = JSON.parse((await p.cli('why', '--all', run, '--json')).stdout) as Open;
  return [...new Set(actions.filter(({ owner }) => owner === 'person').map(({ id }) => id))];
}

test('the starter wave stays open for integration, then docs, then QA, and lands when all of them are content', {
  timeout: 240_000,
}, async () => {
  const plan = parse(readFileSync(new URL('../plans/starter-wave.yaml', import.meta.url), 'utf8')) as object;
  await using p = await project({ plan, files });
  expect((await p.cli('lint', 'plan.yaml')).stdout).not.toContain('warning');
  const before = p.git('rev-parse', 'main');
  const seen: unknown[] = [];
  const look = async (run: string, code: number | null): Promise<void> => {
    const status = (await p.cli('status', run)).stdout;
    const said = /^wave 1 .*, open: (.*)$/m.exec(status)?.[1];
    seen.push([code, await openFor(p, run), said, p.git('rev-parse', 'main') === before]);
  };

  const first = await p.cli('run', 'plan.yaml', '--yes', '--json');
  const { run } = JSON.parse(first.stdout.trim().split('\n').at(-1) ?? '') as { readonly run: string };
  await look(run, first.code);
  for (const [of, message] of [
    ['review-starter', 'name the file in README.md'],
    ['wave-1-docs', 'write the state down'],
    ['wave-1-qa', 'the numbers are right'],
  ] as const) {
    expect(await p.cli('rework', `${run}/${of}`, '-m', message)).toMatchObject({ code: 0 });
    const { code } = await p.cli('resume', run, '--json');
    if (of !== 'wave-1-qa') await look(run, code);
    else expect(code).toBe(0);
  }

  expect(seen).toEqual([
    [
      43,
      ['wave-1-integration'],
      'integration reports needs-more-work: README.md does not say where waves are read',
      true,
    ],
    [43, ['wave-1-docs'], 'docs reports delta: current-state.md is about an earlier state', true],
    [42, ['wave-1-qa'], 'qa reports blocked: are waves counted from 0?', true],
  ]);
  expect(p.git('show', 'main:docs/plans/component-cutover-matrix.json')).toBe(
    matrix.replaceAll('contract-frozen', 'repo-landed').trimEnd(),
  );
  expect(p.git('show', 'main:docs/plans/current-state.md')).toContain('was reviewed');
  expect(checkHistory(await p.events())).toEqual([]);
});
