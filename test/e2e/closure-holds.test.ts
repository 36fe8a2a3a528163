import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { refs } from '../../src/domain/ledger/state-dir.ts';
import { checkHistory } from '../support/checker.ts';
import { all } from '../support/events-found.ts';
import { gitFacts } from '../support/kill.ts';
import { type Project, project, scripted } from '../support/project.ts';
import { shellWords } from '../support/shell-words.ts';

/** A wave whose tasks all ended well stays open while anything is, and closes when the last of it is resolved. */

const role = (script: string, more: object = {}) => ({ command: ['/bin/sh', '-c', script], ...more });
const says = (word: string) => role(`tidegate verdict ${word} --finding "not good"`);
const add = scripted('echo new > new.txt; tidegate handoff done -m "made it"', { owns: ['new.txt'] });
const live = scripted('echo new > new.txt; tidegate handoff done -m did --claim proof=live', {
  ...{ owns: ['new.txt'], exit: { proof: 'live' } },
});
const asking = 'tidegate ask -m "drop the column?" --severity critical';
const checks = [{ name: 'present', run: 'test ! -e broken' }];
const planned = (closure: object, more: object = {}) => ({
  ...{ land: 'auto', limits: { attempts: 1 }, checks, closure, tasks: { add } },
  ...more,
});

type Action = { readonly id: string; readonly owner: string; readonly message: string; readonly command: string };
type Ran = { readonly run: string; readonly exit: number; readonly reason: string };

async function go(p: Project, ...args: string[]): Promise<Ran> {
  const { stdout, stderr } = await p.cli(...args, '--json');
  const last = stdout.trim().split('\n').at(-1) ?? '';
  const ran = JSON.parse(last) as Partial<Ran>;
  if (ran.run === undefined) throw new Error(stdout + stderr);
  return ran as Ran;
}
const start = (p: Project) => go(p, 'run', 'plan.yaml', '--yes');

async function actionsOf(p: Project, run: string): Promise<readonly Action[]> {
  const { stdout } = await p.cli('why', '--all', run, '--json');
  return (JSON.parse(stdout) as { readonly actions: readonly Action[] }).actions;
}

async function statusOf(p: Project, run: string, task: string): Promise<string | undefined> {
  type Waves = { readonly waves: readonly { readonly tasks: readonly { id: string; status: string }[] }[] };
  const { waves } = JSON.parse((await p.cli('status', run, '--json')).stdout) as Waves;
  return waves.flatMap(({ tasks }) => tasks).find(({ id }) => id === task)?.status;
}

/** Where the person's branch and the run branch are. */
const places = (p: Project, run: string): readonly string[] => [
  p.git('rev-parse', 'main'),
  p.git('--git-dir', p.state().repository, 'rev-parse', refs.runBranch(run)),
];

/** What a person types instead of a placeholder. */
function typed(p: Project, command: string): readonly string[] {
  const shot = join(p.root, 'shot.txt');
  writeFileSync(shot, 'it runs\n');
  return shellWords(command.replaceAll(/<(path|file)>/g, shot)).slice(1);
}

/**
 * Types the first command that is for a person, and lets the run go on. Roles of these tests never change their minds, so the person
 * decides instead of them. Returns the id of what it removed.
 */
async function removeFirst(p: Project, run: string): Promise<{ readonly id: string; readonly after: Ran }> {
  const [first] = (await actionsOf(p, run)).filter(({ owner }) => owner === 'person');
  if (first === undefined) throw new Error('nobody is needed');
  const isReport = first.id.startsWith('wave-');
  if (isReport) expect(first.command).toMatch(/^tidegate (rework|retry) /);
  const command = isReport ? `tidegate resolve ${run}/${first.id} -m "your reason"` : first.command;
  const done = await p.cli(...typed(p, command));
  expect([command, done.code, done.stderr]).toEqual([command, 0, '']);
  return { id: first.id, after: await go(p, 'resume', run) };
}

async function expectSound(p: Project): Promise<void> {
  expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
  expect((await p.cli('verify')).code).toBe(0);
}

describe('a wave whose tasks all ended well stays open', { timeout: 180_000 }, () => {
  const question = { add: { ...add, command: ['/bin/sh', '-ec', `${asking}; ${add.command.at(-1)}`] } };
  test.each([
    ['for a critical question', planned({ qa: role('tidegate verdict pass') }, { tasks: question }), 'question-1', 43],
    ['for a proof that nobody gave', planned({}, { tasks: { add: live } }), 'proof-add', 43],
    ['for security that is blocked', planned({ security: says('blocked') }), 'wave-1-security', 43],
    [
      'for integration that needs more work',
      planned({ integration: says('needs-more-work') }),
      'wave-1-integration',
      43,
    ],
    ['for a docs delta', planned({ docs: says('delta') }), 'wave-1-docs', 43],
    ['for concerns of QA', planned({ qa: says('concerns') }), 'wave-1-qa', 42],
    [
      'for one dimension of QA',
      planned({ qa: role('tidegate verdict pass --dimension live=concerns') }),
      'wave-1-qa',
      42,
    ],
  ])('%s', async (_name, plan, id, exit) => {
    await using p = await project({ plan });
    const main = p.git('rev-parse', 'main');
    const ran = await start(p);
    expect(ran.exit).toBe(exit);
    expect(await statusOf(p, ran.run, 'add')).toBe('ready');
    expect(places(p, ran.run)).toEqual([main, main]);
    const actions = await actionsOf(p, ran.run);
    expect(actions.filter(({ owner }) => owner === 'person').map((one) => one.id)).toEqual([id]);
    expect((await p.cli('why', ran.run)).stdout.replaceAll(/\s+/g, ' ')).toContain(
      actions[0]?.command.replaceAll(/\s+/g, ' '),
    );
    // looking again changes nothing
    expect((await go(p, 'resume', ran.run)).exit).toBe(exit);
    expect(places(p, ran.run)).toEqual([main, main]);

    const { id: removed, after } = await removeFirst(p, ran.run);
    expect([removed, after.exit]).toEqual([id, 0]);
    expect(p.git('show', 'main:new.txt')).toBe('new');
    expect(await actionsOf(p, ran.run)).toEqual([]);
    await expectSound(p);
  });
});

/** How often each task and role was started. */
async function attemptsOf(p: Project): Promise<Readonly<Record<string, number>>> {
  const started: Record<string, number> = {};
  for (const { event } of all(await p.events(), 'attempt-intended'))
    started[event.task] = (started[event.task] ?? 0) + 1;
  return started;
}

const appending = (claim = '') =>
  scripted(`echo new >> new.txt; tidegate handoff done -m did ${claim}`, { owns: ['new.txt'] });

describe('a wave with several things open', { timeout: 240_000 }, () => {
  test('stays where it is until the last of them is resolved, one by one in order', async () => {
    const closure = {
      security: says('blocked'),
      integration: says('needs-more-work'),
      docs: says('delta'),
      qa: says('concerns'),
    };
    const script = `${asking}; ${live.command.at(-1)}`;
    const tasks = { add: { ...live, command: ['/bin/sh', '-ec', script] } };
    await using p = await project({ plan: planned(closure, { tasks }) });
    const main = p.git('rev-parse', 'main');
    const { run, exit } = await start(p);
    expect([exit, places(p, run)]).toEqual([43, [main, main]]);
    const order = ['question-1', 'proof-add', 'wave-1-security', 'wave-1-integration', 'wave-1-docs', 'wave-1-qa'];
    // while a record is open there is no candidate that roles could judge
    expect((await actionsOf(p, run)).map(({ id }) => id)).toEqual(order.slice(0, 2));
    // no role starts before the records and proofs are there
    expect(await attemptsOf(p)).toEqual({ add: 1 });

    const exits: Record<string, number> = {};
    for (const id of order) {
      expect([id, places(p, run)]).toEqual([id, [main, main]]);
      const { id: removed, after } = await removeFirst(p, run);
      expect(removed).toBe(id);
      exits[removed] = after.exit;
    }
    expect(exits).toEqual({
      ...{ 'question-1': 43, 'proof-add': 43, 'wave-1-security': 43, 'wave-1-integration': 43 },
      // QA is the only one that is left
      ...{ 'wave-1-docs': 42, 'wave-1-qa': 0 },
    });
    expect(p.git('show', 'main:new.txt')).toBe('new');
    expect(await attemptsOf(p)).toEqual({
      ...{ add: 1, 'wave-1-security': 1, 'wave-1-integration': 1, 'wave-1-docs': 1, 'wave-1-qa': 1 },
    });
    await expectSound(p);
  });

  test('whose proof and reports are about an earlier tree needs all of them again', async () => {
    const task = { ...appending('--claim proof=live'), exit: { proof: 'live' } };
    const closure = { security: role('tidegate verdict clear'), qa: says('concerns') };
    await using p = await project({ plan: planned(closure, { tasks: { add: task } }) });
    const main = p.git('rev-parse', 'main');
    const { run } = await start(p);
    expect((await removeFirst(p, run)).after.exit).toBe(42);
    expect((await actionsOf(p, run)).map(({ id }) => id)).toEqual(['wave-1-qa']);

    expect((await p.cli('rework', `${run}/add`, '-m', 'one more line')).code).toBe(0);
    expect((await go(p, 'resume', run)).exit).toBe(43);
    const actions = await actionsOf(p, run);
    expect(actions.map(({ id, owner }) => [id, owner])).toEqual([
      ['proof-add', 'person'],
      ['wave-1-security', 'wave-1-security'],
      ['wave-1-qa', 'wave-1-qa'],
    ]);
    expect(actions[0]?.message).toContain('for an earlier snapshot');
    expect(places(p, run)).toEqual([main, main]);
    expect((await removeFirst(p, run)).after.exit).toBe(42);
    expect(await attemptsOf(p)).toEqual({ add: 2, 'wave-1-security': 2, 'wave-1-qa': 2 });
    expect(places(p, run)).toEqual([main, main]);
    expect((await removeFirst(p, run)).after.exit).toBe(0);
    expect(p.git('show', 'main:new.txt')).toBe('new\nnew');
    await expectSound(p);
  });
});

test('a documentation commit voids neither security nor eval; QA and the checks see the tree with it', {
  timeout: 240_000,
}, async () => {
  const writes = 'mkdir -p docs; echo how >> docs/how.md; tidegate verdict closed';
  const closure = {
    eval: role('test ! -e docs && tidegate verdict satisfied'),
    security: role('test ! -e docs && tidegate verdict clear'),
    docs: role(writes, { owns: ['docs/**'] }),
    qa: role('test "$(wc -l < docs/how.md)" = 2 && tidegate verdict pass || tidegate verdict concerns'),
  };
  await using p = await project({ plan: planned(closure) });
  const main = p.git('rev-parse', 'main');
  const { run, exit } = await start(p);
  expect([exit, places(p, run)]).toEqual([42, [main, main]]);
  expect((await p.cli('rework', `${run}/wave-1-docs`, '-m', 'say more')).code).toBe(0);
  expect((await go(p, 'resume', run)).exit).toBe(0);

  expect(await attemptsOf(p)).toEqual({
    ...{ add: 1, 'wave-1-eval': 1, 'wave-1-security': 1, 'wave-1-docs': 2, 'wave-1-qa': 2 },
  });
  const events = await p.events();
  const landed = p.git('rev-parse', 'main^{tree}');
  expect(p.git('show', 'main:docs/how.md')).toBe('how\nhow');
  expect(p.git('log', '--format=%s', `${main}..main`).split('\n')).toHaveLength(2);
  const seen = (task: string) => all(events, 'role-opened').findLast(({ event }) => event.task === task)?.event.tree;
  expect(seen('wave-1-qa')).toBe(landed);
  expect(seen('wave-1-security')).toBe(p.git('rev-parse', 'main~1^{tree}'));
  const checked = all(events, 'check-ended').map(({ event }) => event.check.tree);
  expect(checked).toContain(landed);
  await expectSound(p);
});

test('with `land: wave` nothing moves while security is blocked; after `resolve` the wave lands', {
  timeout: 180_000,
}, async () => {
  const security = role('test -e two.txt && tidegate verdict clear || tidegate verdict blocked');
  const two = scripted('echo two > two.txt; tidegate handoff done -m did', { owns: ['two.txt'] });
  const plan = {
    ...planned({ security }),
    land: 'wave',
    tasks: undefined,
    waves: [{ tasks: { add } }, { tasks: { two } }],
  };
  await using p = await project({ plan: JSON.parse(JSON.stringify(plan)) as object });
  const main = p.git('rev-parse', 'main');
  const { run, exit } = await start(p);
  expect([exit, places(p, run)]).toEqual([43, [main, main]]);
  expect(await attemptsOf(p)).toEqual({ add: 1, 'wave-1-security': 1 });
  expect(await removeFirst(p, run)).toMatchObject({ id: 'wave-1-security', after: { exit: 0 } });
  expect(p.git('show', 'main:new.txt', 'main:two.txt')).toBe('new\ntwo');
  expect(all(await p.events(), 'landed')).toHaveLength(2);
  await expectSound(p);
});
