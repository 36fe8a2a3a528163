import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { checkHistory } from '../support/checker.ts';
import { all } from '../support/events-found.ts';
import { gitFacts } from '../support/kill.ts';
import { ended, handoff, type Project, project, scripted } from '../support/project.ts';
import { serverOf } from '../support/server.ts';
import { shellWords } from '../support/shell-words.ts';

/** Runs that wait for other runs and for branches: nothing of them is merged before, and the other end does not end silently. */

const writes = (file: string) => scripted(`echo ${file} > ${file}; ${handoff}`, { owns: [file] });
const planOf = (name: string, more: object = {}) => ({
  name,
  land: 'auto',
  tasks: { [name]: writes(`${name}.txt`) },
  ...more,
});

type Ran = { readonly run: string; readonly exit: number; readonly reason: string };
async function go(p: Project, ...args: string[]): Promise<Ran> {
  const { stdout, stderr } = await p.cli(...args, '--json');
  const ran = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Partial<Ran>;
  if (ran.run === undefined) throw new Error(stdout + stderr);
  return ran as Ran;
}

/** Both runs are made and wait for the approval of their start. */
async function pair(shop: object = {}, pay: object = {}) {
  const p = await project({ plan: planOf('shop', shop), files: { 'pay.yaml': stringify(planOf('pay', pay)) } });
  const runs = [await go(p, 'run', 'plan.yaml'), await go(p, 'run', 'pay.yaml')].map(({ run }) => run);
  return { p, shop: runs[0] ?? '', pay: runs[1] ?? '' };
}

/** Approves the start and follows the run until it rests. */
async function work(p: Project, run: string): Promise<Ran> {
  expect((await p.cli('approve', run)).code).toBe(0);
  return await go(p, 'resume', run);
}

type Action = { readonly id: string; readonly kind: string; readonly owner: string; readonly command: string };
async function actionsOf(p: Project, run: string): Promise<readonly Action[]> {
  const { stdout } = await p.cli('why', '--all', run, '--json');
  return (JSON.parse(stdout) as { readonly actions: readonly Action[] }).actions;
}

const typesOf = async (p: Project, run: string) =>
  (await p.events()).filter(({ stream }) => stream === run).map(({ event }) => event.type);
const wrongWith = async (p: Project) => checkHistory(await p.events(), { git: gitFacts(p) });

test('a run merges nothing until the run that it depends on has landed, and then goes on by itself', async () => {
  const { p: made, shop, pay } = await pair();
  await using p = made;
  const added = await p.cli('dep', 'add', shop, '--on', 'pay', '-m', 'the price list');
  expect([added.code, added.stdout]).toEqual([0, `${shop} now depends on pay. See: tidegate dep list ${shop}\n`]);
  expect((await p.cli('dep', 'list')).stdout).toMatch(`d1  ${shop} on ${pay}  required  open\n`);

  expect(await work(p, shop)).toMatchObject({ exit: 43, reason: 'requires' });
  expect(await typesOf(p, shop)).not.toContain('round-opened');
  expect(await actionsOf(p, shop)).toMatchObject([{ id: 'd1', owner: pay, command: `tidegate why ${pay}` }]);
  expect(await actionsOf(p, pay)).toEqual(expect.arrayContaining([expect.objectContaining({ id: 'd1', owner: pay })]));
  expect((await p.cli('status', shop)).stdout).toContain(`d1: depends on ${pay}: the price list`);
  expect((await p.cli('status', pay)).stdout).toContain(`d1: ${shop} depends on it: the price list`);
  expect((await p.cli('inbox')).stdout).toContain(`dependency d1 on ${pay} is open: the price list`);
  expect((await p.cli('why', shop)).stdout).toMatch(`${shop} is waiting: dependency d1 on ${pay} is open`);

  // the other way round they would wait for each other
  const ring = await p.cli('dep', 'add', pay, '--on', shop, '-m', 'the shop');
  expect([ring.code, ring.stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining(`the runs would wait for each other: ${pay} on ${shop} on ${pay}`),
  ]);
  expect(ring.code).not.toBe(0);

  expect(await work(p, pay)).toMatchObject({ exit: 0, reason: 'landed' });
  expect(await go(p, 'resume', shop)).toMatchObject({ exit: 0, reason: 'landed' });
  expect(p.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(expect.arrayContaining(['pay.txt', 'shop.txt']));
  const resolved = all(await p.events(), 'dependency-resolved').map(({ event }) => event);
  expect(resolved).toHaveLength(2);
  for (const { landed } of resolved) expect(landed).toMatchObject({ run: pay, branch: 'main' });
  expect((await p.cli('dep', 'list', pay)).stdout).toMatch(/required {2}resolved\n.*\n {4}landed on main as /);
  expect(await wrongWith(p)).toEqual([]);
}, 120_000);

test('after an undo of what it depends on, a run does not land until a person decides', async () => {
  const { p: made, shop, pay } = await pair({ land: 'ask' });
  await using p = made;
  expect((await p.cli('dep', 'add', shop, '--on', pay, '-m', 'the price list')).code).toBe(0);
  const twice = await p.cli('dep', 'add', shop, '--on', 'pay', '-m', 'again');
  expect(twice.stderr).toContain(`it already depends on ${pay} (d1)`);
  expect(await work(p, pay)).toMatchObject({ exit: 0, reason: 'landed' });
  expect(await work(p, shop)).toMatchObject({ exit: 43, reason: 'land' });
  const dry = await p.cli('undo', pay, '--dry-run');
  expect(dry.stdout).toContain(
    `${shop} depends on it (d1: the price list): it does not land until you decide about d1.`,
  );
  expect((await p.cli('undo', pay, '--yes')).code).toBe(0);
  const before = p.git('rev-parse', 'main');
  const held = await p.cli('land', shop);
  expect([held.code === 0, held.stderr + held.stdout]).toEqual([
    false,
    expect.stringContaining(`dependency d1 on ${pay} is open: the price list; the landing of ${pay} was undone`),
  ]);
  expect(p.git('rev-parse', 'main')).toBe(before);
  expect((await p.cli('dep', 'list')).stdout).toContain('needs you (the other end: undone)');
  expect((await p.cli('dep', 'resolve', `${pay}/d1`, '-m', 'x')).stderr).toContain(
    `d1 is a dependency of ${shop}, not of ${pay}`,
  );
  expect((await p.cli('dep', 'resolve', `${shop}/d1`, '-m', 'it works without')).code).toBe(0);
  expect((await p.cli('land', shop)).code).toBe(0);
  expect(p.git('ls-tree', '--name-only', 'main')).toContain('shop.txt');
  expect(await wrongWith(p)).toEqual([]);
}, 120_000);

test('an undo names the runs that have landed and depend on it', async () => {
  const { p: made, shop, pay } = await pair();
  await using p = made;
  expect((await p.cli('dep', 'add', shop, '--on', pay, '-m', 'two\nlines')).code).toBe(0);
  expect((await p.cli('dep', 'list')).stdout).toMatch(/^ {4}.*: two lines$/m);
  expect(await work(p, pay)).toMatchObject({ exit: 0, reason: 'landed' });
  expect(await work(p, shop)).toMatchObject({ exit: 0, reason: 'landed' });
  const undone = await p.cli('undo', pay, '--yes');
  expect([undone.code, undone.stdout]).toEqual([
    0,
    expect.stringContaining(`${shop} depends on it (d1: two lines) and has landed: it stays.`),
  ]);
  expect(await typesOf(p, shop)).not.toContain('dependency-unmet');
  expect(await wrongWith(p)).toEqual([]);
}, 120_000);

test('one whose other end was abandoned is for a person, and the command that is offered settles it', async () => {
  const { p: made, shop, pay } = await pair();
  await using p = made;
  expect((await p.cli('dep', 'add', `${shop}/shop`, '--on', `${pay}/pay`, '-m', 'the price list')).code).toBe(0);
  expect((await p.cli('abandon', pay)).code).toBe(0);
  expect(await work(p, shop)).toMatchObject({ exit: 43, reason: 'dependency' });
  const [action] = await actionsOf(p, shop);
  expect(action).toMatchObject({ id: 'd1', owner: 'person', command: 'tidegate dep resolve d1 -m "your reason"' });
  expect((await p.cli(...shellWords(action?.command ?? '').slice(1))).code).toBe(0);
  expect(await go(p, 'resume', shop)).toMatchObject({ exit: 0, reason: 'landed' });
  expect(await wrongWith(p)).toEqual([]);
}, 120_000);

test('a run that owes something does not end on its own branch until a person decides, and then at once', async () => {
  const { p: made, shop, pay } = await pair({}, { land: 'branch' });
  await using p = made;
  expect((await p.cli('dep', 'add', shop, '--on', pay, '-m', 'the price list')).code).toBe(0);
  expect(await work(p, pay)).toMatchObject({ exit: 43, reason: 'dependency' });
  expect(await typesOf(p, pay)).toContain('landed');
  expect(await typesOf(p, pay)).not.toContain('run-ended');
  expect((await p.cli('why', pay)).stdout).toContain(`${shop} depends on it (d1): the price list`);
  expect((await p.cli('dep', 'cancel', 'd1', '-m', 'not any more')).code).toBe(0);
  expect(await go(p, 'resume', pay)).toMatchObject({ exit: 0, reason: 'landed' });
  expect(await work(p, shop)).toMatchObject({ exit: 0, reason: 'landed' });
  expect(await wrongWith(p)).toEqual([]);
}, 120_000);

test('a dependency on a branch waits for a person, also between merge and landing; an optional one is only shown', async () => {
  const { p: made, shop, pay } = await pair({ land: 'ask' });
  await using p = made;
  p.git('branch', 'prices/new');
  expect((await p.cli('dep', 'add', shop, '--on', pay, '--optional', '-m', 'good to know')).code).toBe(0);
  expect(await work(p, shop)).toMatchObject({ exit: 43, reason: 'land' });
  expect((await p.cli('dep', 'add', shop, '--on', 'prices/new', '-m', 'the price list')).code).toBe(0);
  const before = p.git('rev-parse', 'main');
  const held = await p.cli('land', shop);
  expect([held.code === 0, held.stderr]).toEqual([
    false,
    expect.stringContaining('dependency d2 on prices/new is open: the price list'),
  ]);
  expect(p.git('rev-parse', 'main')).toBe(before);
  expect((await p.cli('dep', 'resolve', 'd2', '-m', 'merged by hand')).code).toBe(0);
  expect((await p.cli('land', shop)).code).toBe(0);
  expect((await p.cli('abandon', pay)).code).toBe(0);
  expect(await wrongWith(p)).toEqual([]);
}, 120_000);

test('wrong input is one clear line, agents are refused, and nothing of it is recorded', async () => {
  const { p: made, shop, pay } = await pair();
  await using p = made;
  const refused: readonly (readonly [readonly string[], string])[] = [
    [['add'], 'name a run'],
    [['add', shop, '-m', 'x'], 'say what it depends on'],
    [['add', shop, '--on', pay], 'say what is needed'],
    [['add', shop, '--on', 'nobody', '-m', 'x'], 'there is no run, task or branch nobody'],
    [['add', shop, '--on', shop, '-m', 'x'], 'cannot depend on itself'],
    [['add', `${shop}/nothing`, '--on', pay, '-m', 'x'], 'has no task nothing'],
    [['add', shop, '--on', 'main~0', '-m', 'x'], 'there is no run, task or branch main~0'],
    [['resolve', 'd9', '-m', 'x'], 'there is no dependency d9'],
    [['resolve', 'x1', '-m', 'x'], 'is not a dependency'],
    [['list', 'nobody'], 'no run nobody'],
    [['forget', shop], 'add, list, resolve, cancel'],
  ];
  for (const [args, says] of refused) {
    const { code, stderr } = await p.cli('dep', ...args);
    expect([args, code === 0, stderr]).toEqual([args, false, expect.stringContaining(says)]);
  }
  const byAgent = await ended(p.start(['dep', 'add', shop, '--on', pay, '-m', 'x'], { CLAUDECODE: '1' }));
  expect(byAgent.code).toBe(43);
  const types = (await p.events()).map(({ event }) => event.type);
  expect(types.filter((type) => type.startsWith('dependency-'))).toEqual([]);
  for (const run of [shop, pay]) expect((await p.cli('abandon', run)).code).toBe(0);
}, 120_000);

test('the API adds, lists and settles them with the role approve', async () => {
  const { p: made, shop, pay } = await pair();
  await using p = made;
  await using server = await serverOf(p);
  const { read, approve } = server.tokens;
  const [{ id }] = ((await server.ask('GET', '/v1/repositories', { token: read })).json as { items: [{ id: string }] })
    .items;
  const path = `/v1/repositories/${id}`;
  const add = (body: object, token = approve) =>
    server.ask('POST', `${path}/runs/${shop}/dependencies`, { token, body });
  const end = (body: object) =>
    server.ask('POST', `${path}/runs/${shop}/dependencies/d1/end`, { token: approve, body });
  const wanted = { task: 'shop', on: pay, text: 'the price list' };
  expect((await add(wanted, read)).status).toBe(403);
  expect((await add({ ...wanted, text: ' ' })).json).toMatchObject({ status: 422, field: 'body.text' });
  expect((await add({ ...wanted, on: 'nobody' })).json).toMatchObject({ status: 409 });
  expect((await add(wanted)).status).toBe(202);
  const listed = { id: 'd1', from: `${shop}/shop`, on: pay, required: true, text: 'the price list' };
  const list = () => server.ask('GET', `${path}/dependencies`, { token: read });
  expect((await list()).json).toMatchObject({ items: [{ ...listed, status: 'open' }] });
  expect((await server.ask('GET', `${path}/runs/${shop}`, { token: read })).json).toMatchObject({
    dependencies: [{ ...listed, status: 'open' }],
  });
  expect((await end({ end: 'resolved', reason: 'seen' })).status).toBe(202);
  expect((await end({ end: 'cancelled', reason: 'seen' })).status).toBe(409);
  expect((await list()).json).toMatchObject({
    items: [{ ...listed, status: 'resolved', settled: { reason: 'seen' } }],
  });
  for (const run of [shop, pay]) expect((await p.cli('abandon', run)).code).toBe(0);
}, 120_000);

test('nothing lands on a branch that depends on a run, whoever starts it, until that run has landed there', async () => {
  const { p: made, shop, pay } = await pair();
  await using p = made;
  const added = await p.cli('dep', 'add', 'main', '--on', 'pay', '-m', 'the price list first');
  expect([added.code, added.stdout]).toEqual([0, 'The branch main now depends on pay. See: tidegate dep list\n']);
  expect((await p.cli('dep', 'list')).stdout).toMatch(`d1  main on ${pay}  required  open\n`);

  expect(await work(p, shop)).toMatchObject({ exit: 43, reason: 'requires' });
  expect(await typesOf(p, shop)).toEqual(expect.arrayContaining(['merged', 'wave-closed']));
  expect(await typesOf(p, shop)).not.toContain('landing-intended');
  expect((await p.cli('why', shop)).stdout).toContain(`dependency d1 of the branch main on ${pay} is open`);
  expect((await p.cli('status', shop)).stdout).toContain(`d1: the branch main depends on ${pay}`);
  expect((await p.cli('status', pay)).stdout).toContain('d1: the branch main depends on it');
  const landed = await p.cli('land', shop);
  expect([landed.code === 0, landed.stderr]).toEqual([false, expect.stringContaining('dependency d1 of the branch')]);

  // the run that the branch waits for cannot wait for one that lands there
  const ring = await p.cli('dep', 'add', pay, '--on', shop, '-m', 'the shop');
  expect([ring.code === 0, ring.stderr]).toEqual([false, expect.stringContaining('would wait for each other')]);
  // a run that starts later is held as well
  p.write('late.yaml', stringify(planOf('late')));
  expect(await go(p, 'run', 'late.yaml', '--yes')).toMatchObject({ exit: 43, reason: 'requires' });

  expect(await work(p, pay)).toMatchObject({ exit: 0, reason: 'landed' });
  for (const run of [shop, 'late']) expect(await go(p, 'resume', run)).toMatchObject({ exit: 0, reason: 'landed' });
  expect((await p.cli('dep', 'list')).stdout).toMatch(/required {2}resolved\n.*\n {4}landed on main as /);
  expect(await wrongWith(p)).toEqual([]);
}, 120_000);

test('a branch whose other end was abandoned waits for a person, and so does one that depends on a branch', async () => {
  const { p: made, shop, pay } = await pair();
  await using p = made;
  expect((await p.cli('dep', 'add', 'branch:main', '--on', pay, '-m', 'the price list first')).code).toBe(0);
  expect((await p.cli('abandon', pay)).code).toBe(0);
  expect(await work(p, shop)).toMatchObject({ exit: 43, reason: 'dependency' });
  expect((await p.cli('inbox')).stdout).toContain(`dependency d1 of the branch main on ${pay} is open`);
  expect((await p.cli('dep', 'resolve', 'd1', '-m', 'not needed')).code).toBe(0);
  expect(await go(p, 'resume', shop)).toMatchObject({ exit: 0, reason: 'landed' });

  p.git('branch', 'next');
  expect((await p.cli('dep', 'add', 'main', '--on', 'next', '-m', 'freeze')).code).toBe(0);
  p.write('late.yaml', stringify(planOf('late')));
  expect(await go(p, 'run', 'late.yaml', '--yes')).toMatchObject({ exit: 43, reason: 'dependency' });
  p.write('aside.yaml', stringify(planOf('aside', { land: 'branch' })));
  expect(await go(p, 'run', 'aside.yaml', '--yes')).toMatchObject({ exit: 0 });
  expect((await p.cli('dep', 'cancel', 'd2', '-m', 'thawed')).code).toBe(0);
  expect(await go(p, 'resume', 'late')).toMatchObject({ exit: 0, reason: 'landed' });

  const refused: readonly (readonly [readonly string[], string])[] = [
    [['add', 'main', '--on', 'main', '-m', 'x'], 'cannot depend on itself'],
    [['add', 'branch:nothing', '--on', 'next', '-m', 'x'], 'there is no branch nothing'],
    [['add', 'main', '--on', 'nobody', '-m', 'x'], 'there is no run, task or branch nobody'],
    [['add', 'main', '--on', pay, '-m', 'x'], 'has ended'],
    [['resolve', 'd2', '-m', 'x'], 'already cancelled'],
  ];
  for (const [args, says] of refused) {
    const { code, stderr } = await p.cli('dep', ...args);
    expect([args, code === 0, stderr]).toEqual([args, false, expect.stringContaining(says)]);
  }
  const byAgent = await ended(p.start(['dep', 'add', 'main', '--on', 'next', '-m', 'x'], { CLAUDECODE: '1' }));
  expect(byAgent.code).toBe(43);
  expect(await wrongWith(p)).toEqual([]);
}, 180_000);

test('the API adds and settles a dependency of a branch with the role approve', async () => {
  const { p: made, shop, pay } = await pair();
  await using p = made;
  await using server = await serverOf(p);
  const { read, approve } = server.tokens;
  const [{ id }] = ((await server.ask('GET', '/v1/repositories', { token: read })).json as { items: [{ id: string }] })
    .items;
  const path = `/v1/repositories/${id}/dependencies`;
  const body = { branch: 'main', on: pay, text: 'the price list' };
  expect((await server.ask('POST', path, { token: read, body })).status).toBe(403);
  expect((await server.ask('POST', path, { token: approve, body: { ...body, branch: 'no' } })).status).toBe(409);
  expect((await server.ask('POST', path, { token: approve, body })).status).toBe(202);
  const listed = { id: 'd1', from: 'main', fromBranch: true, on: pay, status: 'open' };
  expect((await server.ask('GET', path, { token: read })).json).toMatchObject({ items: [listed] });
  const elsewhere = `/v1/repositories/${id}/runs/${shop}/dependencies/d1/end`;
  const decision = { token: approve, body: { end: 'cancelled', reason: 'no' } };
  expect((await server.ask('POST', elsewhere, decision)).json).toMatchObject({ status: 409 });
  expect((await server.ask('POST', `${path}/d1/end`, decision)).status).toBe(202);
  expect((await server.ask('GET', path, { token: read })).json).toMatchObject({ items: [{ status: 'cancelled' }] });
  for (const run of [shop, pay]) expect((await p.cli('abandon', run)).code).toBe(0);
}, 120_000);
