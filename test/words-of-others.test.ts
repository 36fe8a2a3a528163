import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../src/domain/findings/finding.ts';
import type { LedgerEvent } from '../src/domain/ledger/events.ts';
import {
  type dataFacts,
  type factsOfOthers,
  type TextFact,
  wordsOfOthers,
} from '../src/domain/ledger/words-of-others.ts';
import { keptLedgers, readVerified } from './ledgers/stored-ledger.ts';
import { type Simulation, simulate, type Weather } from './simulation/simulate.ts';
import { dcmOf } from './support/dcm.ts';
import { playedDemo } from './support/demo.ts';
import { storedSentences } from './support/our-sentences.ts';
import { ended, handoff, type Project, project, scripted } from './support/project.ts';
import { serverOf } from './support/server.ts';
import { entryOf, type StoredString, stringsIn } from './support/stored-strings.ts';
import { untilEvent } from './support/until-event.ts';

/** The ledger keeps what others said as they said it, and nothing that we would say: our sentences are made where they are read. */

const used = new Set<string>();
/** An editor that puts a file named `passwd` into the directory that it is given. */
const editor = { VISUAL: '', EDITOR: 'cp /etc/passwd' };

/** Every string that is neither somebody's words by the list nor data, and every sentence of ours. */
function wrongWith(events: readonly LedgerEvent[]): readonly object[] {
  const strings = events.flatMap(stringsIn);
  const strangers = strings.filter((one) => {
    const entry = entryOf(one);
    if (entry !== null) used.add(nameOf(one.type, entry));
    return entry === null && !isData(one);
  });
  return [...strangers, ...storedSentences(events, strings)];
}

/** Ids, hashes, times, refs and words of closed lists have one form in common, which sentences do not have. */
const isData = ({ value }: StoredString): boolean => !/\s/.test(value);

/** Clients name any request in the same way. */
const nameOf = (type: string, entry: string): string =>
  type.startsWith('requested-') && entry === 'key' ? 'requested-* key' : `${type} ${entry}`;

const storm: Weather = { misfortunes: 12, whims: 8, crashes: 4 };
const calm: Weather = { misfortunes: 0, whims: 0, crashes: 0 };

/** Waits for processes of its own, most of the time; so they wait together. */
describe.concurrent('no sentence of ours is stored', () => {
  test.each([
    ['in a storm', storm, 100],
    ['on a full disk', { ...storm, fullDisks: 2 }, 10],
    ['with an orchestrator', { ...storm, orchestrator: true }, 20],
    ['in calm weather', calm, 5],
  ] as const)('by the simulation %s', async (_name, weather, seeds) => {
    for (let seed = 1; seed <= seeds; seed += 1)
      expect({ seed, wrong: wrongWith(eventsOf(await simulate(seed, weather))) }).toEqual({ seed, wrong: [] });
  });

  test('by the kept ledger that has every type', () => {
    const golden = readVerified(keptLedgers().get('golden') ?? []);
    expect(wrongWith(eventsOf({ stored: golden }))).toEqual([]);
  });

  test('by the demo', async () => {
    const stored = await playedDemo();
    expect(new Set(stored.map(({ event }) => event.type))).toContain('landed');
    expect(wrongWith(eventsOf({ stored }))).toEqual([]);
  });

  test('by a session that DCM drives', async () => {
    await using scene = await spacious({ tasks: { one: scripted(handoff, { owns: ['one.txt'] }) } });
    const ordered = await scene.cli('run', 'plan.yaml', '--json');
    const { run } = JSON.parse(ordered.stdout) as { readonly run: string };
    await using server = await serverOf(scene);
    await postedWithKey(server, run);
    const dcm = dcmOf(server, 'session-abc');
    await dcm.post('/api/waves/session-abc/create', { wave_number: 1, name: 'the first', description: 'one of two' });
    const context_snapshot = { 'what is known': 'the branch is main' };
    const tasks = [{ context_snapshot, agent_id: 'agent 7' }, {}, { blocked_by: ['task-1'] }];
    const { batch, subtasks } = await dcm.submit(1, tasks, { 'idempotency-key': 'my-first-batch' });
    const [first, second, third] = subtasks;
    await dcm.wave('start', 1);
    await dcm.patch(first, { status: 'running', agent_id: 'agent 8', context_snapshot: { more: 'it is protected' } });
    await dcm.set(second, 'running');
    const action = { subtask_id: first, tool_name: 'Edit a file', tool_type: 'builtin', file_paths: ['a file.php'] };
    expect((await dcm.post('/api/actions', action)).status).toBe(201);
    await dcm.set(first, 'failed', { files: ['a file.php'], summary: 'no database is there' });
    await dcm.set(second, 'completed', { files: ['a file.php'], summary: 'Built the UI' });
    expect((await dcm.set(third, 'running')).status).toBe(409);
    expect((await dcm.complete(batch, { fail_unfinished: true })).status).toBe(200);
    const events = eventsOf({ stored: await scene.events() });
    expect(new Set(events.map(({ type }) => type))).toContain('external-batch-completed');
    expect(wrongWith(events)).toEqual([]);
  });

  test('by a run that goes wrong in many ways', async () => {
    const listing = `"files":["a file.txt"],"proofs":["ran it twice"],"questions":["is it enough?"]`;
    const byFile = `mkdir .tidegate; printf '{"status":"done","summary":"as asked","nonce":"%s",${listing}}' $TIDEGATE_NONCE > .tidegate/handoff.json`;
    await using scene = await spacious({
      repo: '/srv/a place/repo.git',
      generated: { 'list.txt': "ls > list.txt; ln -s /etc/a-file 'a link'" },
      checks: [{ name: 'unit tests', run: 'echo the tests print this; test ! -e bad.txt' }],
      tasks: {
        asks: scripted(
          `tidegate ask --scope 'b b.txt' -m 'they belong together' --wait 90; echo b > 'b b.txt'; ${byFile}`,
          { owns: ['asks/**'] },
        ),
        strays: scripted(
          `echo x > 'else where.txt'; mkdir strays; ln -s ../plan.yaml strays/link; tidegate land || true; tidegate ask -m 'may I?'; ${handoff}`,
          { owns: ['strays/**'] },
        ),
        leaves: scripted(`mkdir leaves; echo x > 'leaves/a proof'; ${handoff}`, {
          owns: ['leaves/**'],
          deliverables: ['leaves/**'],
          proofs: [{ path: 'leaves/a proof', kind: 'a report' }],
        }),
        breaks: scripted(`echo x > bad.txt; ${handoff}`, { owns: ['bad.txt'] }),
        fails: scripted('echo it cannot be done; exit 3', { owns: ['fails.txt'] }),
      },
    });
    mkdirSync(join(scene.root, 'home/.config/tidegate'), { recursive: true });
    writeFileSync(join(scene.root, 'home/.config/tidegate/config.yaml'), 'fence: { network: ["localhost:9"] }');
    scene.git('remote', 'add', 'origin', '/srv/a place/repo.git');
    scene.git('remote', 'add', 'upstream', '/srv/another place/repo.git');
    await scene.cli('run', 'plan.yaml', '--json');
    const running = ended(scene.start(['resume', '--yes', '--json']));
    await untilEvent(scene, (event) => event.type === 'attempt-noted' && event.note.note === 'asked');
    expect((await scene.cli('grant', 'asks', 'b b.txt')).code).toBe(0);
    await running;
    await ended(scene.start(['edit', 'strays'], editor));
    await scene.cli('drop', 'strays', 'else where.txt');
    await scene.cli('answer', '1', '--close');
    for (const task of ['breaks', 'fails']) await scene.cli('drop', task);
    scene.write('b b.txt', 'mine');
    await scene.cli('resume', '--land', '--json');
    const events = eventsOf({ stored: await scene.events() });
    expect(new Set(events.map(({ type }) => type))).toContain('landing-refused');
    expect(wrongWith(events)).toEqual([]);
  });

  test('by a wave with every closure role, proofs and components', async () => {
    const role = (script: string, more: object = {}) => ({ command: ['/bin/sh', '-c', script], ...more });
    const matrix = JSON.stringify({ components: { parser: { currentLevel: 'baseline-proved' } } });
    const catalogue = JSON.stringify({ families: { latency: { benchmarks: ['cold-start'] } } });
    const claims = '--claim docs=owned';
    const reports = {
      eval: JSON.stringify({ word: 'satisfied', targets: ['answers'], benchmarks: ['cold-start'], regressions: 0 }),
      security: JSON.stringify({ word: 'concerns', findings: ['an old cipher'], approvals: ['one of ops'] }),
    };
    await using scene = await project({
      place: mkdtempSync(join(tmpdir(), 'a place ')),
      files: { 'matrix.json': matrix, 'catalogue.json': catalogue, 'docs/the plan.md': 'x' },
      plan: {
        land: 'auto',
        matrix: 'matrix.json',
        sharedDocs: ['docs/**'],
        limits: { attempts: 1 },
        closure: {
          eval: role(`echo '${reports.eval}' | tidegate verdict --json -`, {
            catalogue: 'catalogue.json',
            targets: [{ id: 'answers', benchmarks: ['cold-start'] }],
          }),
          security: role(`echo '${reports.security}' | tidegate verdict --json -`),
          docs: role("tidegate verdict closed --item one --item 'docs/the plan.md'"),
          qa: role(
            'grep -q "look again" "$TIDEGATE_BRIEF" && tidegate verdict pass || tidegate verdict blocked --finding "is it so?"',
          ),
        },
        tasks: {
          one: scripted(`echo more >> 'docs/the plan.md'; tidegate handoff done -m did ${claims}`, {
            owns: ['docs/the plan.md'],
            promotes: { parser: 'pilot-live' },
          }),
        },
      },
    });
    const first = await scene.cli('run', 'plan.yaml', '--yes', '--json');
    const { run } = JSON.parse(first.stdout.trim().split('\n').at(-1) ?? '') as { readonly run: string };
    const shot = join(scene.root, 'a shot.txt');
    writeFileSync(shot, 'it runs');
    const proof = async (...args: string[]) => expect(await scene.cli('proof', ...args)).toMatchObject({ code: 0 });
    const live = ['--component', 'parser=pilot-live', '-m', 'I saw it'];
    const url = ['--url', 'https://example.org/dash', '--sha256', '0'.repeat(64)];
    await proof('add', `${run}/one`, '--level', 'live', '--file', shot, ...live);
    await proof('supersede', `${run}/p1`, '--file', shot, ...url, '-m', 'a better one');
    await proof('revoke', `${run}/p2`, '-m', 'it was another system');
    await proof('add', `${run}/one`, '--level', 'live', '--file', shot, ...live);
    await scene.cli('resume', run, '--json');
    expect(await scene.cli('rework', `${run}/wave-1-qa`, '-m', 'look again')).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await scene.cli('resume', run, '--json');
    expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
    const events = eventsOf({ stored: await scene.events() });
    expect(new Set(events.map(({ type }) => type))).toContain('landed');
    expect(wrongWith(events)).toEqual([]);
  });

  test('by a landing that conflicts', async () => {
    const one = scripted(`echo theirs > passwd; ${handoff}`, { owns: ['passwd'] });
    await using scene = await spacious({ tasks: { one } });
    await scene.cli('run', 'plan.yaml', '--yes', '--json');
    scene.write('passwd', 'ours');
    scene.git('add', 'passwd');
    scene.git('commit', '-q', '-m', 'meanwhile');
    await scene.cli('land', '--json');
    expect((await ended(scene.start(['edit'], editor))).code).toBe(0);
    const events = eventsOf({ stored: await scene.events() });
    expect(new Set(events.map(({ type }) => type))).toContain('landing-edited');
    expect(wrongWith(events)).toEqual([]);
  });

  test('by tasks that change what defines a check', async () => {
    const manifest = (test: string) => JSON.stringify({ scripts: { test } });
    const owns = ['package.json', 'more.txt'];
    const sound = `echo '${manifest('grep -v x more.txt')}' > package.json; echo well > more.txt; ${handoff}`;
    const hollow = `echo '${manifest('true')}' > package.json; echo x > more.txt; ${handoff}`;
    await using scene = await project({
      files: { 'package.json': manifest('echo all is well') },
      plan: {
        limits: { attempts: 1 },
        checks: [{ name: 'test', run: 'npm test' }],
        waves: [{ tasks: { sound: scripted(sound, { owns }) } }, { tasks: { hollow: scripted(hollow, { owns }) } }],
      },
      place: mkdtempSync(join(tmpdir(), 'a place ')),
    });
    await scene.cli('run', 'plan.yaml', '--yes', '--json');
    const events = eventsOf({ stored: await scene.events() });
    expect(new Set(events.map(({ type }) => type))).toContain('culprit-found');
    expect(wrongWith(events)).toEqual([]);
  });

  test.each([
    ['setup', { setup: 'echo there is no network; exit 3', tasks: { one: scripted(handoff) } }],
    ['program', { tasks: { one: { ...scripted(''), command: ['/opt/no such program', 'a word'] } } }],
  ])('by a run whose %s does not start', async (_name, plan) => {
    await using scene = await spacious(plan);
    await scene.cli('run', 'plan.yaml', '--yes', '--json');
    const events = eventsOf({ stored: await scene.events() });
    expect(new Set(events.map(({ type }) => type))).toContain('attempt-ended');
    expect(wrongWith(events)).toEqual([]);
  });
});

/** Listed although nothing here fills them, and why. */
const unseen: Readonly<Record<string, string>> = {
  'dependency-owed of.branch': 'as of `dependency-added`',
  'pushed upstream': 'a repository that the one of the remote is a fork of',
  'paths-dropped snapshot.diff[].keys[]': 'as of `attempt-ended`',
  'task-edited snapshot.diff[].keys[]': 'as of `attempt-ended`',
  'generator-ended snapshot.diff[].keys[]': 'as of `attempt-ended`',
  'task-edited snapshot.made[].path': 'as of `attempt-ended`',
  'task-edited snapshot.proofs[].kind': 'as of `attempt-ended`',
  'task-derived granted[]': 'as of `task-granted`',
  'candidate-completed before.changes[].path': 'as of `candidate-built`, with generated files',
  'candidate-completed before.changes[].keys[]': 'as of `candidate-built`, with generated files',
  'landing-rebuilt before.changes[].keys[]': 'as of `candidate-built`, on a branch that moved',
  'phase-judged evidence.checks[].report.at[]': 'as of `check-ended`',
  'phase-judged evidence.baseline.checks[].report.at[]': 'as of `check-ended`',
  'phase-judged evidence.before.checks[].report.tests.failed[]': 'as of `check-ended`, with the earlier definitions',
  'phase-judged evidence.before.checks[].report.at[]': 'as of `check-ended`, with the earlier definitions',
  'phase-judged evidence.baseline.redefined[]': 'the name of a check, which a task redefined with a grant',
  'external-key-used forgets': 'a key, once a session has had as many as it remembers',
};

test('and no field is listed that nobody fills', () => {
  const listed = Object.entries(wordsOfOthers).flatMap(([type, entries]) =>
    entries.map((entry) => nameOf(type, entry)),
  );
  expect([...new Set(listed)].filter((name) => !used.has(name) && !Object.hasOwn(unseen, name))).toEqual([]);
  expect(Object.keys(unseen).filter((name) => used.has(name) || !listed.includes(name))).toEqual([]);
});

test('every fact of a finding that may be any text is listed, as data or as words of others', () => {
  type Lists = typeof factsOfOthers & typeof dataFacts;
  const unlisted: Record<Exclude<TextFact<Finding>, Lists[keyof Lists][number]>, never> = {};
  expect(unlisted).toEqual({});
});

const eventsOf = ({ stored }: Pick<Simulation, 'stored'>): readonly LedgerEvent[] => stored.map(({ event }) => event);

/** Names of a person's directories may have spaces. */
const spacious = (plan: object): Promise<Project> => project({ plan, place: mkdtempSync(join(tmpdir(), 'a place ')) });

async function postedWithKey(server: Awaited<ReturnType<typeof serverOf>>, run: string): Promise<void> {
  const { read, approve: token } = server.tokens;
  const repositories = await server.ask('GET', '/v1/repositories', { token: read });
  const [{ id }] = (repositories.json as { readonly items: [{ readonly id: string }] }).items;
  const body = { kind: 'question', target: 'person', text: 'who looks after it?' };
  const headers = { 'idempotency-key': 'my-first-question' };
  const posted = await server.ask('POST', `/v1/repositories/${id}/runs/${run}/board`, { token, body, headers });
  expect(posted.status).toBe(202);
}
