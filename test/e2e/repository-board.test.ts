import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { checkHistory } from '../support/checker.ts';
import { all } from '../support/events-found.ts';
import { gitFacts, killAt, scenarios } from '../support/kill.ts';
import { ended, handoff, type Project, project, scripted } from '../support/project.ts';
import { serverOf } from '../support/server.ts';
import { untilEvent } from '../support/until-event.ts';

/** The board above runs: people write for all runs of a repository, and answer what runs left behind. */

const sound = async (p: Project) => expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
const hears = (text: string) => `until tidegate inbox | grep -q '${text}'; do sleep 0.1; done`;
const asks = `tidegate post question --to person --severity critical --ref units.txt -m 'metres or feet?'`;
const writes = (file: string, script: string) =>
  scripted(`${script}; echo ${file} > ${file}; ${handoff}`, { owns: [file] });

type Shown = { readonly id: string; readonly text: string; readonly status: string; readonly repository?: string };
type Board = { readonly records: readonly Shown[]; readonly outlived: readonly (Shown & { readonly run: string })[] };
const boardOf = async (p: Project, ...args: string[]): Promise<Board> =>
  JSON.parse((await p.cli('board', ...args, '--json')).stdout) as Board;

test('a decision for all runs answers a question in one of two live runs, and the agent of the other reads it', async () => {
  await using p = await project({
    plan: {
      name: 'asks',
      land: 'auto',
      tasks: {
        one: writes('one.txt', asks.replace('person --severity critical', 'other')),
        other: writes('other.txt', 'true'),
      },
    },
    files: {
      'reads.yaml': stringify({
        name: 'reads',
        land: 'auto',
        tasks: { two: writes('two.txt', hears('metres it is')) },
      }),
    },
  });
  for (const plan of ['plan.yaml', 'reads.yaml']) expect((await p.cli('run', plan, '--yes', '-d')).code).toBe(0);
  await untilEvent(p, (event) => event.type === 'attempt-noted' && event.note.note === 'posted', 'asks');
  const posted = await p.cli('post', '--repository', '--kind', 'decision', '--ref', 'units.txt', '-m', 'metres it is');
  expect([posted.code, posted.stdout]).toEqual([
    0,
    'Posted for all runs: metres it is. See: tidegate board --repository\n',
  ]);
  for (const run of ['asks', 'reads']) expect((await p.cli('watch', run, '--json')).code).toBe(0);
  for (const file of ['one.txt', 'two.txt']) expect(p.git('show', `main:${file}`)).toBe(file);

  expect((await boardOf(p, 'asks')).records).toMatchObject([
    { id: '1', kind: 'question', status: 'answered', answer: { text: 'metres it is' } },
    { id: '2', kind: 'decision', status: 'closed', repository: '1' },
    { id: '3', kind: 'resolved-by-policy', of: '1' },
  ]);
  expect((await p.cli('board', '--repository')).stdout).toMatch(/^1 decision {2}\S+ → all {2}open {2}metres it is/);
  expect((await p.cli('events', 'repository')).stdout).toMatch(/repo {2}record-posted/);

  // a run that starts later has it from the start; one that starts after it was withdrawn has not
  const later = { name: 'later', land: 'auto', tasks: { three: writes('three.txt', hears('metres it is')) } };
  p.write('later.yaml', stringify(later));
  expect((await p.cli('run', 'later.yaml', '--yes', '--json')).code).toBe(0);
  expect((await p.cli('record', 'repository/1', 'dismiss', '-m', 'feet after all')).code).toBe(0);
  p.write('last.yaml', stringify({ ...later, name: 'last', tasks: { four: writes('four.txt', 'true') } }));
  expect((await p.cli('run', 'last.yaml', '--yes', '--json')).code).toBe(0);
  expect((await boardOf(p, 'last')).records).toEqual([]);
  await sound(p);
}, 120_000);

test('a withdrawn decision of the repository answers no question any more', async () => {
  const script = `${hears('metres it is')}; tidegate ask -m 'go on?' --wait 60; ${asks}`;
  await using p = await project({ plan: { land: 'auto', tasks: { one: writes('one.txt', script) } } });
  expect(
    (await p.cli('post', 'repository', '--kind', 'decision', '--ref', 'units.txt', '-m', 'metres it is')).code,
  ).toBe(0);
  expect((await p.cli('run', 'plan.yaml', '--yes', '-d')).code).toBe(0);
  await untilEvent(p, (event) => event.type === 'attempt-noted' && event.note.note === 'posted');
  expect((await p.cli('record', 'repository/1', 'dismiss', '-m', 'feet after all')).code).toBe(0);
  await untilEvent(p, (event) => event.type === 'record-changed' && event.status === 'cancelled');
  expect((await p.cli('answer', '2', '-m', 'yes')).code).toBe(0);
  const waiting = JSON.parse((await p.cli('resume', '--json')).stdout.trim().split('\n').at(-1) ?? '') as object;
  expect(waiting).toMatchObject({ exit: 43, reason: 'question' });
  expect((await p.cli('answer', '3', '-m', 'feet')).code).toBe(0);
  expect((await p.cli('resume', '--json')).code).toBe(0);
  await sound(p);
}, 120_000);

test('a question that outlived its run is listed above runs, and is answered in its run', async () => {
  const script = `tidegate ask -m 'which table?'`;
  await using p = await project({ plan: { land: 'auto', tasks: { one: writes('one.txt', script) } } });
  const { run } = JSON.parse((await p.cli('run', 'plan.yaml', '--yes', '--json')).stdout) as { run: string };
  expect((await boardOf(p, '--repository')).outlived).toMatchObject([{ run, id: '1', text: 'which table?' }]);
  expect((await p.cli('board', '--repository')).stdout).toContain(`${run}/1 question`);
  expect((await p.cli('answer', `${run}/1`, '-m', 'the second')).code).toBe(0);
  expect((await boardOf(p, '--repository')).outlived).toEqual([]);
  expect((await boardOf(p, run)).records).toMatchObject([{ status: 'answered', answer: { text: 'the second' } }]);
  await sound(p);
}, 120_000);

test('a critical record is in the inbox until a person settles it, and blocks no run', async () => {
  await using p = await project({ plan: { land: 'auto', tasks: { one: writes('one.txt', 'true') } } });
  const post = ['post', '--repository', '--kind', 'blocker', '--severity', 'critical', '-m', 'the registry is down'];
  expect((await p.cli(...post)).code).toBe(0);
  expect((await p.cli('run', 'plan.yaml', '--yes', '--json')).code).toBe(0);
  const inbox = JSON.parse((await p.cli('inbox', '--json')).stdout) as { items: readonly { command: string }[] };
  expect(inbox.items).toMatchObject([{ run: 'repository', kind: 'question', record: '1' }]);
  expect(inbox.items[0]?.command).toBe('tidegate answer repository/1 -m "your answer"');
  expect((await p.cli('answer', 'repository/1', '-m', 'it is back')).code).toBe(0);
  expect((await p.cli('inbox')).stdout).toContain('Nothing is waiting for you.');
  expect((await p.cli('board', '--repository')).stdout).toContain('answers: it is back');
  await sound(p);
}, 120_000);

test('wrong names are one clear line, agents are refused, and nothing of it is recorded', async () => {
  const tries = `if tidegate post --repository -m hello 2> said.txt; then exit 9; fi; grep -q 'only people write to the board of the repository' said.txt; rm said.txt`;
  await using p = await project({ plan: { land: 'auto', tasks: { one: writes('one.txt', tries) } } });
  expect((await p.cli('run', 'plan.yaml', '--yes', '--json')).code).toBe(0);
  const refused: readonly (readonly [readonly string[], string])[] = [
    [['answer', 'repository/9', '-m', 'x'], 'the board of the repository has no record 9'],
    [['record', 'repository/9', 'dismiss', '-m', 'x'], 'has no record 9'],
    [['record', 'repository/x', 'dismiss', '-m', 'x'], 'is not a run/record'],
    [['post', '--repository', 'plan', '-m', 'x'], 'name a run, or use --repository'],
    [['post', '--repository', '--to', 'one', '-m', 'x'], 'is for all or for a person'],
    [['post', '--repository', '--kind', 'rumour', '-m', 'x'], 'kind'],
    [['post', '--repository', '-m', ' '], 'empty'],
    [['board', '--repository', 'plan'], 'name a run, or use --repository'],
  ];
  for (const [args, says] of refused) {
    const { code, stderr } = await p.cli(...args);
    expect([args, code === 0, stderr]).toEqual([args, false, expect.stringContaining(says)]);
  }
  const byAgent = await ended(p.start(['post', '--repository', '-m', 'x'], { CLAUDECODE: '1' }));
  expect([byAgent.code, byAgent.stderr]).toEqual([43, expect.stringContaining('only a person may')]);
  expect((await p.events()).filter(({ stream, event }) => stream === 'repo' && 'by' in event)).toEqual([]);
}, 120_000);

test('damage to the stream of the repository is named by verify', async () => {
  await using p = await project({ plan: { tasks: { one: writes('one.txt', 'true') } } });
  expect((await p.cli('post', '--repository', '-m', 'metres')).code).toBe(0);
  expect((await p.cli('verify')).code).toBe(0);
  const seq = all(await p.events(), 'record-posted')[0]?.seq;
  {
    using db = new DatabaseSync(p.state().ledger);
    const guard = db.prepare(`select sql from sqlite_master where name = 'event_is_never_changed'`).get();
    db.exec(`drop trigger event_is_never_changed;
      update event set body = replace(body, 'metres', 'inches') where seq = ${seq};
      ${String(guard?.['sql'])}`);
  }
  const { code, stderr } = await p.cli('verify');
  expect([code, stderr]).toEqual([1, expect.stringContaining(`event ${seq}`)]);
}, 60_000);

test('the API reads it with any role, and writes with the role approve', async () => {
  await using p = await project({
    plan: { land: 'auto', tasks: { one: writes('one.txt', `tidegate ask -m 'why?'`) } },
  });
  const { run } = JSON.parse((await p.cli('run', 'plan.yaml', '--yes', '--json')).stdout) as { run: string };
  await using server = await serverOf(p);
  const { read, operate, approve } = server.tokens;
  const [{ id }] = ((await server.ask('GET', '/v1/repositories', { token: read })).json as { items: [{ id: string }] })
    .items;
  const path = `/v1/repositories/${id}/board`;
  const body = { kind: 'question', target: 'person', text: 'which units?' };
  expect((await server.ask('POST', path, { token: operate, body })).status).toBe(403);
  expect((await server.ask('POST', path, { token: approve, body: { ...body, target: 'one' } })).status).toBe(422);
  expect((await server.ask('POST', path, { token: approve, body })).json).toMatchObject({ run: 'repository' });
  expect((await server.ask('GET', path, { token: read })).json).toMatchObject({
    items: [{ id: '1', status: 'open', text: 'which units?' }],
    outlived: [{ run, id: '1', text: 'why?' }],
  });
  expect((await server.ask('GET', '/v1/inbox', { token: read })).json).toMatchObject({
    items: [{ repository: id, run: 'repository', record: '1' }],
  });
  const act = (record: string, given: object) =>
    server.ask('POST', `${path}/${record}/act`, { token: approve, body: given });
  expect((await act('1', { act: 'acknowledge' })).status).toBe(202);
  expect((await act('7', { act: 'acknowledge' })).json).toMatchObject({ status: 409 });
  const answer = { token: approve, body: { text: 'metres' } };
  expect((await server.ask('POST', `${path}/1/answer`, answer)).status).toBe(202);
  expect((await server.ask('POST', `${path}/1/answer`, answer)).json).toMatchObject({ status: 409 });
  await sound(p);
}, 120_000);

test('killed at any commit between the post and its delivery, each run takes the record over once', async () => {
  const scenario = scenarios.find(({ name }) => name === 'a decision for all runs that a run takes over');
  if (scenario === undefined) throw new Error('there is no such scenario');
  const reached: number[] = [];
  // the request, the start of the coordinator, the post and its answer, the copy and what it settles
  for (const hit of [1, 2, 3, 4]) {
    const outcome = await killAt(scenario, 'ledger-after-commit', hit);
    expect([hit, outcome.problems]).toEqual([hit, []]);
    if (outcome.reached) reached.push(hit);
  }
  expect(reached).toEqual([1, 2, 3, 4]);
}, 300_000);
