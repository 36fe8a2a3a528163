import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { recordsOf } from '../../src/domain/board/board.ts';
import { foldRun } from '../../src/domain/run/run.ts';
import { checkHistory } from '../support/checker.ts';
import { listenTo, openGate } from '../support/gate.ts';
import { gitFacts } from '../support/kill.ts';
import { ended, handoff, type Project, project, scripted } from '../support/project.ts';
import { untilEvent } from '../support/until-event.ts';

const stateOf = async (here: Project) => {
  const events = await here.events();
  const run = events.find(({ stream }) => stream !== 'repo')?.stream;
  return foldRun(events.filter(({ stream }) => stream === run));
};
const boardOf = async (here: Project) => {
  const state = await stateOf(here);
  return state === null ? [] : recordsOf(state);
};
const sound = async (here: Project) => expect(checkHistory(await here.events(), { git: gitFacts(here) })).toEqual([]);

/** The person's own settings: these clocks, and a command that keeps every notice on a line of its own. */
function configure(here: Project, board: object): () => readonly { readonly kind: string; readonly message: string }[] {
  const kept = join(here.root, 'notices');
  const folder = join(here.root, 'home/.config/tidegate');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify({ board, notify: ['sh', '-c', `cat >> ${kept}`] }));
  return () =>
    (existsSync(kept) ? readFileSync(kept, 'utf8').trimEnd().split('\n') : []).map((line) => JSON.parse(line));
}

/** An agent that does not look at its inbox: its first attempt ends when the test lets it. */
const busy = (file: string): string =>
  `if ! test -e ${file}; then mkdir -p .tidegate; until test -e .tidegate/go; do sleep 0.05; done; fi
echo ${file} > ${file}; ${handoff}`;
const letGo = (here: Project): void => {
  for (const place of globSync(join(here.root, 'state/*/jobs/*/workspace/.tidegate')))
    writeFileSync(join(place, 'go'), '');
};

test('a clarification keeps its wave open from owner to owner to a person, and is told once', async () => {
  const asks = `tidegate post question --to owner --ref b.txt --ref c.txt -m 'metres or feet?'; echo a > a.txt; ${handoff}`;
  const tasks = {
    a: scripted(asks, { owns: ['a.txt'] }),
    b: scripted(busy('b.txt'), { owns: ['b.txt'] }),
    c: scripted(busy('c.txt'), { owns: ['c.txt'] }),
  };
  await using here = await project({ plan: { tasks } });
  const notices = configure(here, { acknowledge: '2s', answer: '3s' });
  expect((await here.cli('run', 'plan.yaml', '--yes', '--land', '-d')).code).toBe(0);
  await untilEvent(here, (event) => event.type === 'record-changed' && event.route?.reason === 'owns-path');
  await untilEvent(here, (event) => event.type === 'record-posted' && event.place.of === '1');
  expect(await boardOf(here)).toMatchObject([
    { kind: 'question', status: 'open', target: 'c', route: { asked: 'b', reason: 'owns-path' } },
    { kind: 'human-escalation', status: 'open', target: 'person', text: 'metres or feet?', of: '1' },
  ]);
  await untilEvent(here, (event) => event.type === 'records-overdue');
  const told = () => notices().filter(({ kind }) => kind === 'overdue');
  await vi.waitFor(() => expect(told()).toHaveLength(1), { timeout: 20_000, interval: 50 });
  expect(told()).toMatchObject([{ message: 'human-escalation 2 is overdue: it has been waiting for you for 3s' }]);
  await using listener = await listenTo(here);
  await listener.killCoordinator();
  const resumed = here.start(['resume', '--land', '--json']);
  await listener.next('coordinator-started');
  letGo(here);
  expect((await ended(resumed)).code).toBe(43);
  expect((await here.cli('resume', '--land', '--json')).code).toBe(43);
  expect(told()).toHaveLength(1);
  expect((await stateOf(here))?.waves[0]).toMatchObject({ closed: false, rounds: [] });

  expect((await here.cli('why', '--all')).stdout).toMatch(/human-escalation-2: .*\n.*owner: you.*, overdue for \d+s/);
  expect((await here.cli('inbox')).stdout).toMatch(
    /c has not acknowledged question 1: "metres or feet\?" \(overdue for \d+s\)/,
  );
  const { items } = JSON.parse((await here.cli('inbox', '--json')).stdout);
  expect(items).toContainEqual(
    expect.objectContaining({ record: '2', overdue: { clock: 'answer', since: expect.any(String) } }),
  );

  expect(await here.cli('answer', '2', '-m', 'metres')).toMatchObject({ code: 0 });
  expect((await here.cli('watch', '--json')).code).toBe(0);
  expect(await boardOf(here)).toMatchObject([
    { status: 'answered', answer: { text: 'metres' } },
    { status: 'answered', answer: { text: 'metres' } },
  ]);
  expect(here.git('show', 'main:c.txt')).toBe('c.txt');
  expect(told()).toHaveLength(1);
  await sound(here);
}, 90_000);

test('a request that comes while the candidate is checked keeps it from being merged, and starts nothing', async () => {
  using gate = openGate();
  const tasks = {
    a: scripted(`echo a > a.txt; ${handoff}`, { owns: ['a.txt'] }),
    b: scripted(`echo go > b.txt; ${handoff}`, { owns: ['b.txt'] }),
  };
  await using here = await project({ plan: { checks: [{ name: 'slow', run: gate.waitsFor('b.txt') }], tasks } });
  gate.showTo(here);
  expect((await here.cli('run', 'plan.yaml', '--yes', '--land', '-d')).code).toBe(0);
  await untilEvent(here, (event) => event.type === 'candidate-completed' || event.type === 'candidate-built');
  expect(await here.cli('post', '--kind', 'request', '--to', 'b', '-m', 'also in feet')).toMatchObject({ code: 0 });
  gate.letThrough('go');
  expect((await here.cli('resume', '--json')).code).toBe(43);
  const types = async () => (await here.events()).map(({ event }) => event.type);
  expect((await types()).filter((type) => /^(helper-assigned|merged|merge-intended)$/.test(type))).toEqual([]);
  expect((await types()).filter((type) => type === 'attempt-intended')).toHaveLength(2);
  expect(await here.cli('answer', '1', '-m', 'not now')).toMatchObject({ code: 0 });
  expect((await here.cli('watch', '--json')).code).toBe(0);
  expect((await types()).filter((type) => type === 'round-opened' || type === 'attempt-intended')).toHaveLength(3);
  await sound(here);
}, 60_000);
