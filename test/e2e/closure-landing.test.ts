import { describe, expect, test } from 'vitest';
import { checkHistory } from '../support/checker.ts';
import { all } from '../support/events-found.ts';
import { gitFacts } from '../support/kill.ts';
import { type Project, project, scripted } from '../support/project.ts';
import { shellWords } from '../support/shell-words.ts';
import { untilEvent } from '../support/until-event.ts';

/** Reports about a landing on a branch that has moved: carried, or given again. */

const role = (script: string, more: object = {}) => ({ command: ['/bin/sh', '-c', script], ...more });
const judges = 'grep -q bad readme.md && tidegate verdict concerns --finding "readme is bad" || tidegate verdict pass';
const closure = {
  security: role('tidegate verdict clear'),
  integration: role('tidegate verdict ready'),
  docs: role('mkdir -p docs; echo how > docs/how.md; tidegate verdict closed', { owns: ['docs/**'] }),
  qa: role(judges),
};
const add = scripted('echo new > new.txt; tidegate handoff done -m "made it"', {
  ...{ owns: ['new.txt'], reads: ['readme.md'] },
});
const plan = { land: 'ask', limits: { attempts: 1 }, checks: [{ name: 'ok', run: 'true' }], closure, tasks: { add } };

/** A run that is ready to land, on a branch on which somebody then changes this file. */
async function moved(p: Project, path: string, text: string): Promise<string> {
  const { stdout } = await p.cli('run', 'plan.yaml', '--yes', '--json');
  const { run } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { readonly run: string };
  expect(all(await p.events(), 'wave-closed')).toHaveLength(1);
  p.write(path, text);
  p.git('add', '-A');
  p.git('commit', '-q', '-m', 'meanwhile');
  return run;
}

type Role = { readonly role: string; readonly state: string; readonly word: string | null; readonly tree: string };
async function rolesIn(p: Project, run: string): Promise<readonly Role[]> {
  const { waves } = JSON.parse((await p.cli('status', run, '--json')).stdout) as {
    readonly waves: readonly { readonly closure: readonly Role[] }[];
  };
  return waves[0]?.closure ?? [];
}

async function commandsOf(p: Project, run: string): Promise<readonly string[]> {
  const { actions } = JSON.parse((await p.cli('why', '--all', run, '--json')).stdout) as {
    readonly actions: readonly { readonly command: string }[];
  };
  return actions.map(({ command }) => command);
}

const startsOf = async (p: Project) =>
  all(await p.events(), 'attempt-intended').map(({ event }) => event.task.replace('wave-1-', ''));
const unjudgedIn = async (p: Project) => all(await p.events(), 'landing-rebuilt').map(({ event }) => event.unjudged);
const treeOf = (p: Project): string => p.git('rev-parse', 'main^{tree}');

async function expectSound(p: Project): Promise<void> {
  expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
  expect((await p.cli('verify')).code).toBe(0);
}

const once = ['add', 'security', 'integration', 'docs', 'qa'];

describe('a landing on a branch that has moved', { timeout: 180_000 }, () => {
  test('carries the reports when others changed nothing that the wave changes or reads, and says for which tree', async () => {
    await using p = await project({ plan });
    const run = await moved(p, 'other.txt', 'other\n');
    const before = await rolesIn(p, run);
    const judged = before.find(({ role: name }) => name === 'qa')?.tree ?? '';
    const landed = await p.cli('land', run);
    expect(landed).toMatchObject({ code: 0 });
    expect(p.git('show', 'main:new.txt', 'main:other.txt', 'main:docs/how.md')).toBe('new\nother\nhow');
    expect(await unjudgedIn(p)).toEqual([[]]);
    expect(await startsOf(p)).toEqual(once);
    expect(treeOf(p)).not.toBe(judged);
    expect(await rolesIn(p, run)).toEqual(before);
    const said = (await p.cli('events', run)).stdout;
    expect(said).toContain(`reports of closure roles carried from the tree ${judged.slice(0, 8)}`);
    await expectSound(p);
  });

  test('waits for what its judge escalates or requests, although it says that all is ready', async () => {
    const posts = `tidegate post human-escalation -m 'who decides?'; tidegate post request --to add -m 'adapt'`;
    const integration = role(`grep -q better readme.md && { ${posts}; }; tidegate verdict ready`);
    await using p = await project({ plan: { ...plan, closure: { integration } } });
    const run = await moved(p, 'readme.md', 'better\n');
    expect((await p.cli('land', run)).code).toBe(43);
    expect(await commandsOf(p, run)).toEqual([
      `tidegate answer ${run}/1 -m "your answer"`,
      `tidegate answer ${run}/2 -m "your answer"`,
    ]);
    expect(all(await p.events(), 'landing-intended')).toEqual([]);
    expect(await p.cli('land', run)).toMatchObject({ stderr: expect.stringContaining('human-escalation 1 is open') });
    expect(await p.cli('answer', `${run}/1`, '-m', 'you')).toMatchObject({ code: 0 });
    expect(await p.cli('resolve', `${run}/request-2`, '-m', 'not now')).toMatchObject({ code: 0 });
    expect((await p.cli('watch', run, '--json')).code).toBe(0);
    expect(p.git('show', 'main:new.txt')).toBe('new');
    await expectSound(p);
  });

  test('is judged again when they did; the views show what the roles said of the tree that landed', async () => {
    await using p = await project({ plan });
    const run = await moved(p, 'readme.md', 'better\n');
    const landed = await p.cli('land', run);
    expect(landed).toMatchObject({ code: 0 });
    expect(await unjudgedIn(p)).toEqual([['readme.md']]);
    expect(await startsOf(p)).toEqual([...once, 'integration', 'qa']);
    const opened = all(await p.events(), 'role-opened').filter(({ event }) => event.landing === true);
    expect(opened.map(({ event }) => event.tree)).toEqual([treeOf(p), treeOf(p)]);
    expect(await rolesIn(p, run)).toMatchObject([
      { role: 'security', state: 'reported', word: 'clear' },
      { role: 'integration', state: 'reported', word: 'ready', tree: treeOf(p) },
      { role: 'docs', state: 'reported', word: 'closed' },
      { role: 'qa', state: 'reported', word: 'pass', tree: treeOf(p) },
    ]);
    expect((await p.cli('status', run)).stdout).toMatch(/wave-1-qa +reported +pass/);
    expect((await p.cli('events', run)).stdout).toContain('closure roles judge it again because of readme.md');
    await expectSound(p);
  });

  test('is judged again when they changed what a closure role changed', async () => {
    await using p = await project({ plan: { ...plan, land: 'ask' }, files: { 'docs/index.md': 'index\n' } });
    const run = await moved(p, 'docs/how.md', 'how\n');
    expect(await p.cli('land', run)).toMatchObject({ code: 0 });
    expect(await unjudgedIn(p)).toEqual([['docs/how.md']]);
    await expectSound(p);
  });

  test('is judged again when they changed the matrix that the wave promotes a component in', async () => {
    const matrix = `{
  "version": 1,
  "components": {
    "parser": { "currentLevel": "repo-landed" },
    "a": { "currentLevel": "inventoried" },
    "b": { "currentLevel": "inventoried" },
    "other": { "currentLevel": "contract-frozen" }
  }
}
`;
    const promotes = { ...add, promotes: { parser: 'baseline-proved' } };
    const promoting = { ...plan, matrix: 'docs/matrix.json', tasks: { add: promotes } };
    const files = { 'docs/matrix.json': matrix };
    await using p = await project({
      ...{ files, plan: { ...promoting, closure: { integration: closure.integration, qa: closure.qa } } },
    });
    const run = await moved(p, 'docs/matrix.json', matrix.replace('contract-frozen', 'repo-landed'));
    expect(await p.cli('land', run)).toMatchObject({ code: 0 });
    expect(await unjudgedIn(p)).toEqual([['docs/matrix.json']]);
    expect(await startsOf(p)).toEqual(['add', 'integration', 'qa', 'integration', 'qa']);
    await expectSound(p);
  });

  test('is judged again when they changed a generated file that was rebuilt on the candidate', async () => {
    const generated = {
      ...plan,
      generated: { 'sum.txt': 'cat a.txt b.txt new.txt > sum.txt' },
      closure: { integration: closure.integration, qa: closure.qa },
    };
    const lines = 'one\ntwo\nthree\nfour\nfive\n';
    const files = { 'a.txt': lines, 'b.txt': 'b\n', 'sum.txt': `${lines}b\n` };
    await using p = await project({ files, plan: generated });
    const run = await moved(p, 'sum.txt', `ONE\n${lines.slice(4)}b\n`);
    expect(await p.cli('land', run)).toMatchObject({ code: 0 });
    expect(await unjudgedIn(p)).toEqual([['sum.txt']]);
    await expectSound(p);
  });

  test('is refused when QA then has concerns; `resolve` and `land` go on', async () => {
    await using p = await project({ plan });
    const run = await moved(p, 'readme.md', 'bad\n');
    const main = p.git('rev-parse', 'main');
    const refused = await p.cli('land', run);
    expect(refused.code).not.toBe(0);
    expect(refused.stdout + refused.stderr).toContain('readme is bad');
    expect(p.git('rev-parse', 'main')).toBe(main);
    expect(await rolesIn(p, run)).toMatchObject([{}, {}, {}, { role: 'qa', state: 'reported', word: 'concerns' }]);
    // a second try with the same report is the same
    expect((await p.cli('land', run)).code).not.toBe(0);
    expect(p.git('rev-parse', 'main')).toBe(main);
    // the role may look again, and says the same
    expect((await p.cli('retry', `${run}/wave-1-qa`)).code).toBe(0);
    expect((await p.cli('land', run)).code).not.toBe(0);
    expect(p.git('rev-parse', 'main')).toBe(main);
    expect(await startsOf(p)).toEqual([...once, 'integration', 'qa', 'qa']);

    expect((await p.cli('why', run)).stdout).toContain(`tidegate resolve ${run}/wave-1-qa`);
    const resolve = `tidegate resolve ${run}/wave-1-qa -m "your reason"`;
    expect(await commandsOf(p, run)).toEqual([`tidegate retry ${run}/wave-1-qa`]);
    expect(await p.cli(...shellWords(resolve).slice(1))).toMatchObject({ code: 0 });
    expect(p.git('rev-parse', 'main')).toBe(main);
    expect(await commandsOf(p, run)).toEqual([`tidegate land ${run}`]);
    const landed = await p.cli('land', run);
    expect([landed.code, landed.stderr]).toEqual([0, '']);
    expect(p.git('show', 'main:new.txt', 'main:readme.md')).toBe('new\nbad');
    expect(await rolesIn(p, run)).toMatchObject([{}, {}, {}, { role: 'qa', state: 'resolved' }]);
    expect(await startsOf(p)).toEqual([...once, 'integration', 'qa', 'qa']);
    await expectSound(p);
  });

  test('is refused when a role changes files while it judges it: its report does not count, and nothing is dropped', async () => {
    const meddles = role('grep -q moved readme.md && echo fix > int.md; tidegate verdict ready', { owns: ['int.md'] });
    await using p = await project({ plan: { ...plan, closure: { integration: meddles, qa: closure.qa } } });
    const run = await moved(p, 'readme.md', 'moved\n');
    const main = p.git('rev-parse', 'main');
    const refused = await p.cli('land', run);
    expect(refused.code).toBe(43);
    const text = refused.stdout + refused.stderr;
    expect(text).toContain(
      'the report of integration does not count: wave-1-integration changed int.md while it judged',
    );
    expect(text).toContain(`tidegate resolve ${run}/wave-1-integration`);
    expect(p.git('rev-parse', 'main')).toBe(main);
    expect(await startsOf(p)).toEqual(['add', 'integration', 'qa', 'integration']);
    const [command = ''] = await commandsOf(p, run);
    expect(command).toBe(`tidegate retry ${run}/wave-1-integration`);
    expect(await p.cli('resolve', `${run}/wave-1-integration`, '-m', 'not needed')).toMatchObject({ code: 0 });
    expect(await p.cli('land', run)).toMatchObject({ code: 0 });
    expect(p.git('ls-tree', '--name-only', 'main')).not.toContain('int.md');
    await expectSound(p);
  });

  test('of a run that ended before waits for a person, because no role starts any more', async () => {
    await using p = await project({ plan });
    const run = await moved(p, 'readme.md', 'bad\n');
    const main = p.git('rev-parse', 'main');
    expect((await p.cli('reject', run)).code).toBe(0);
    await untilEvent(p, ({ type }) => type === 'run-ended');
    for (const judge of ['wave-1-integration', 'wave-1-qa']) {
      expect([judge, (await p.cli('land', run)).code, p.git('rev-parse', 'main')]).toEqual([judge, 43, main]);
      const [command = ''] = await commandsOf(p, run);
      expect(command).toBe(`tidegate resolve ${run}/${judge} -m "your reason"`);
      expect(await p.cli(...shellWords(command).slice(1))).toMatchObject({ code: 0, stderr: '' });
    }
    expect(await p.cli('land', run)).toMatchObject({ code: 0 });
    expect(p.git('show', 'main:new.txt', 'main:readme.md')).toBe('new\nbad');
    await expectSound(p);
  });
});
