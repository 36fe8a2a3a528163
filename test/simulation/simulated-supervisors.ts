import { hash as digest } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type AgentNote, noReport } from '../../src/domain/agents/agent-note.ts';
import { taskId } from '../../src/domain/base/ids.ts';
import { recordActs } from '../../src/domain/board/acts.ts';
import type { Severity } from '../../src/domain/board/kinds.ts';
import type { Trip } from '../../src/domain/breaker/spirals.ts';
import { type CheckReport, testDigest } from '../../src/domain/checks/report.ts';
import { exitLevels, requiredLevels } from '../../src/domain/closure/exit-contract.ts';
import { roleWords } from '../../src/domain/closure/roles.ts';
import type { Ending, Handoff, HandoffEvidence, SnapshotEvidence } from '../../src/domain/gates/evidence.ts';
import { refs } from '../../src/domain/ledger/state-dir.ts';
import type { FrozenPlan, PlannedTask } from '../../src/domain/plan/plan.ts';
import type { AgentFailure, AgentFailureKind } from '../../src/domain/tool-calls/agent-event.ts';
import type {
  ExitRecord,
  Job,
  NumberedNote,
  StartedRecord,
  SupervisorEvent,
  Supervisors,
} from '../../src/ports/supervisor.ts';
import { ended, exited, handoff, held, log } from '../support/plans.ts';
import type { Chaos } from './chaos.ts';
import { type Random, random } from './random.ts';
import type { Life, Schedule } from './schedule.ts';
import type { Files, SimulatedGit } from './simulated-git.ts';
import { repair } from './simulated-repair.ts';

/** What supervisors left behind, as their directories would show it after any crash of ours. */
export type SupervisorWorld = {
  /** The port as one coordinator sees it. */
  port(life: Life): Supervisors;
  /** Attempts whose process is alive. */
  living(): readonly string[];
};

type SimulatedJob = {
  readonly job: Job;
  /** Messages that reached it, by request. */
  readonly heard: Set<number>;
  notes: readonly NumberedNote[];
  readonly listeners: Set<(event: SupervisorEvent) => void>;
  started: StartedRecord | null;
  exit: ExitRecord | null;
  stop: Ending | null;
};

type Tools = {
  readonly random: Random;
  readonly schedule: Schedule;
  readonly git: SimulatedGit;
  readonly chaos: Chaos;
  readonly planOf: (run: string) => FrozenPlan;
};

/** Supervisors are processes of their own: they live on when a coordinator dies, and none is started twice. */
export function simulatedSupervisors(tools: Tools): SupervisorWorld {
  const { schedule } = tools;
  const forever: Life = { alive: true };
  const jobs = new Map<string, SimulatedJob>();

  const tell = (one: SimulatedJob, event: SupervisorEvent): void => {
    for (const listener of one.listeners) listener(event);
  };

  const live = async (one: SimulatedJob): Promise<void> => {
    await schedule.turn(forever);
    const { started, exit } = courses[one.job.kind](tools, one.job);
    if (started !== null) {
      one.started = started;
      tell(one, { type: 'started', record: started, pid: 4000 + jobs.size });
      for (const note of notesOf(tools, one.job)) {
        await schedule.turn(forever);
        one.notes = [...one.notes, { number: one.notes.length + 1, note }];
        tell(one, { type: 'noted', notes: one.notes });
      }
      const patience = 1 + tools.random.below(4);
      for (let turns = 0; turns < patience && one.stop === null; turns += 1) await schedule.turn(forever);
    }
    const record = exit(one.stop);
    await schedule.turn(forever);
    one.exit = record;
    tell(one, { type: 'ended', record });
  };

  const port = (life: Life): Supervisors => {
    const mine = new Set<() => void>();
    const ensured = new Map<string, Promise<void>>();
    const jobOf = async (id: string): Promise<SimulatedJob | undefined> => {
      if (!ensured.has(id)) throw new Error(`${id} is told something before it was ensured: nobody would hear it`);
      await ensured.get(id);
      return jobs.get(id);
    };
    const ensure: Supervisors['ensure'] = async (job, listener) => {
      await schedule.turn(life);
      const known = jobs.get(job.id);
      if (known !== undefined && !isDeepStrictEqual(known.job, job))
        throw new Error(`${job.id} is told something else than before`);
      const one: SimulatedJob = known ?? {
        job,
        heard: new Set(),
        notes: [],
        listeners: new Set(),
        started: null,
        exit: null,
        stop: null,
      };
      const hear = (event: SupervisorEvent): void => {
        if (life.alive) listener(event);
      };
      one.listeners.add(hear);
      mine.add(() => one.listeners.delete(hear));
      if (known === undefined) {
        jobs.set(job.id, one);
        void live(one);
        return;
      }
      if (one.started !== null) hear({ type: 'started', record: one.started, pid: 4000 });
      if (one.notes.length > 0) hear({ type: 'noted', notes: one.notes });
      if (one.exit !== null) hear({ type: 'ended', record: one.exit });
    };
    return {
      ensure: (job, listener) => {
        const running = ensure(job, listener);
        ensured.set(job.id, running);
        return running;
      },
      stop: async (id, reason) => {
        await schedule.turn(life);
        const one = await jobOf(id);
        if (one !== undefined) one.stop ??= ended(reason);
        await schedule.turn(life);
      },
      tell: async (id) => {
        await schedule.turn(life);
        const one = await jobOf(id);
        return one !== undefined && one.exit === null;
      },
      send: async (id, number) => {
        await schedule.turn(life);
        const one = await jobOf(id);
        if (one === undefined || one.exit !== null) return 'over';
        if (one.heard.has(number)) return 'taken';
        if (tools.random.chance(0.2)) return 'refused';
        one.heard.add(number);
        one.notes = [...one.notes, { number: one.notes.length + 1, note: { note: 'heard', request: number } }];
        tell(one, { type: 'noted', notes: one.notes });
        await schedule.turn(life);
        return 'taken';
      },
      acknowledge: () => schedule.turn(life),
      release: async () => undefined,
      detach: async () => {
        for (const forget of mine) forget();
      },
    };
  };

  return {
    port,
    living: () =>
      [...jobs.values()]
        .filter((one) => (one.job.kind === 'attempt' || one.job.kind === 'orchestrator') && one.exit === null)
        .map((one) => one.job.id),
  };
}

type Course = { readonly started: StartedRecord | null; readonly exit: (stop: Ending | null) => ExitRecord };

/** A check passes unless the tree holds a file that breaks it or its setup, or the machine fails. */
function check({ git, chaos }: Tools, job: Job): Course {
  const name = job.environment['TIDEGATE_CHECK'] ?? '';
  const contents = Object.values(git.read(job.from).files);
  const breaks = (what: string): boolean => contents.some((content) => content.includes(`breaks ${what}`));
  const ending = chaos.strikes(0.03)
    ? ended(chaos.random.pick(['lost', 'launch-failed', 'timed-out'] as const), {
        rule: 'supervisor-died',
        began: true,
      })
    : breaks('setup')
      ? setupFailed
      : exited(breaks(name) ? 1 : 0);
  const report =
    job.parse === undefined || ending.reason !== 'exited' ? {} : { report: reportIn(chaos, git, job, name) };
  return {
    started: startedRecord(job),
    exit: () => ({ ...exitRecord({ ending, handoff: { kind: 'absent' }, snapshot: null }), ...report }),
  };
}

/** One test for each file: it fails if the file breaks the check. Sometimes the report is lost. */
function reportIn(chaos: Chaos, git: Tools['git'], job: Job, name: string): CheckReport {
  if (chaos.strikes(0.05)) return { unreadable: 'absent' };
  const files = Object.entries(git.read(job.from).files);
  const broken = files.filter(([, content]) => content.includes(`breaks ${name}`)).map(([path]) => path);
  if (job.parse?.as === 'count') return { count: broken.length, at: broken.map((path) => `${path} no-such-rule`) };
  const failed = broken.map((path) => `test of ${path}`);
  const passed = files.map(([path]) => `test of ${path}`).filter((test) => !failed.includes(test));
  return { tests: { failed: failed.toSorted(), passed: passed.map(testDigest).toSorted() } };
}

const setupFailed = ended('setup-failed', {
  rule: 'setup-failed',
  command: 'npm ci',
  code: 1,
  signal: null,
  words: '',
});

/** Lists every file of the candidate, and sometimes more than it was asked for, unless the machine or the command fails. */
function generate({ git, chaos }: Tools, job: Job): Course {
  const { files } = git.read(job.from);
  const others = Object.keys(files).filter((path) => path !== 'list.txt');
  const stray = chaos.strikes(0.2) ? { 'stray.txt': job.id, [others[0] ?? 'stray.txt']: 'overwritten' } : {};
  const ending = chaos.strikes(0.1)
    ? chaos.random.pick([
        ended('lost'),
        ended('launch-failed', { rule: 'no-bubblewrap', restricted: false }),
        ended('timed-out'),
        exited(1),
      ])
    : exited(0);
  const exit = (): ExitRecord => {
    const snapshot = take(git, job, { ...files, ...stray, 'list.txt': others.toSorted().join() });
    return exitRecord({ ending, handoff: { kind: 'absent' }, snapshot });
  };
  return { started: startedRecord(job), exit };
}

/** What an agent does with its workspace and how it ends; mostly well. */
function attempt({ git, chaos, planOf, random }: Tools, job: Job): Course {
  const task = job.environment['TIDEGATE_TASK'] ?? '';
  const planned = planOf(job.id.split('.')[0] ?? '')
    .waves.flatMap((wave) => [...wave.tasks, ...(wave.closure ?? [])])
    .find(({ id }) => id === task);
  const readOnly = planned?.owns?.length === 0;
  const folder = planned?.closes === undefined ? task : 'docs';
  const { files } = git.read(job.from);
  const work: Record<string, string> = readOnly ? {} : { [`${folder}/a.txt`]: `${job.id} ${random.below(1000)}` };
  for (const shared of planned?.shares ?? []) if (random.chance(0.5)) work[shared] = `${job.id}`;
  if (planned?.owns === null && chaos.strikes(0.3)) work['open.txt'] = job.id;
  if (!readOnly && chaos.strikes(0.08))
    work[`${folder}/b.txt`] = `breaks ${chaos.random.pick(['test', 'lint', 'setup'] as const)}`;
  if (chaos.strikes(0.1)) work[chaos.random.pick(['elsewhere/x.txt', '.github/ci.yml', 'readme.md'])] = job.id;
  if (!readOnly && chaos.strikes(0.05)) delete work[`${folder}/a.txt`];
  const repaired = planned === undefined ? repair(files, chaos) : null;
  const good: Outcome = {
    ending: exited(0),
    handoff: handoff(job.nonce, {
      ...statement,
      ...roleReport(chaos, planned),
      ...claimsOf(chaos, planned),
      ...(repaired === null || repaired.dropped.length === 0 ? {} : { dropped: repaired.dropped }),
    }),
    work: repaired?.work ?? { ...files, ...work },
  };
  const bad = chaos.strikes(0.25) ? misfortune(chaos, job, good) : good;
  const breached = chaos.strikes(0.02);
  const launched = bad.ending.reason !== 'launch-failed' && bad.ending.reason !== 'setup-failed';
  return {
    started: launched ? startedRecord(job, breached) : null,
    exit: (stop) => {
      const { ending, handoff, work, trouble } = stop === null ? bad : { ...good, ending: stop, handoff: absent };
      const snapshot = chaos.strikes(0.01)
        ? null
        : {
            ...take(git, job, work, chaos.left() > 0 && leavesMore(work) ? untaken : []),
            ...proofsOf(chaos, job),
          };
      return exitRecord({ ending, handoff, snapshot, ...reportOf(job, ending, trouble ?? null) });
    },
  };
}

/** An agent mostly claims what its contract asks for. */
function claimsOf(chaos: Chaos, planned: PlannedTask | undefined): Pick<Handoff, 'claims'> {
  const required = planned === undefined ? [] : requiredLevels(planned.exit);
  if (required.length === 0 || chaos.strikes(0.1)) return {};
  if (chaos.strikes(0.1)) return { claims: { state: 'gap' } };
  const below = chaos.strikes(0.1);
  const claimed = required.map(({ part, level }) => [part, below ? exitLevels[part][0] : level]);
  return { claims: Object.fromEntries(claimed) };
}

/** It mostly leaves the proofs that are declared. */
function proofsOf(chaos: Chaos, { evidence }: Job): Pick<SnapshotEvidence, 'proofs'> {
  if (evidence === undefined || evidence.proofs.length === 0) return {};
  const proofs = evidence.proofs.map(({ path }) =>
    chaos.strikes(0.2) ? { path, fault: 'absent' as const } : { path, sha256: digest('sha256', path, 'hex'), bytes: 1 },
  );
  return { proofs };
}

/** A closure role mostly reports what lets the wave close. */
function roleReport(chaos: Chaos, planned: PlannedTask | undefined): Pick<Handoff, 'report'> {
  if (planned?.closes === undefined) return {};
  const { words, closes } = roleWords[planned.closes];
  if (chaos.strikes(0.1)) return {};
  const word = chaos.strikes(0.3) ? chaos.random.pick(words) : (closes[0] ?? '');
  return { report: { word, findings: closes.includes(word) ? [] : ['a file is missing'] } };
}

/** It lives until it is stopped, unless it dies at any moment or cannot start. Nothing of it is ever a result. */
function orchestrator(_: Tools, job: Job): Course {
  const own = random(Number.parseInt(job.nonce.slice(0, 8), 16));
  const ending = own.pick([exited(0), exited(1), ended('lost'), ended('timed-out'), ended('over-budget'), null, null]);
  const isLaunched = own.chance(0.8);
  const failed = ended('launch-failed', { rule: 'no-bubblewrap', restricted: false });
  const agent = { ...noReport, session: 'a session', model: 'm', trips: [trip] };
  const end = (stop: Ending | null): Ending => (isLaunched ? (stop ?? ending ?? exited(0)) : failed);
  return {
    started: isLaunched ? startedRecord(job) : null,
    exit: (stop) => ({
      ...exitRecord({ ending: end(stop), handoff: absent, snapshot: null, ...(isLaunched ? { agent } : {}) }),
      refusals: isLaunched ? ['approve demo-ab12'] : [],
    }),
  };
}

const courses = { attempt, check, generate, orchestrator } as const;

type Outcome = {
  readonly ending: Ending;
  readonly handoff: HandoffEvidence;
  readonly work: Files;
  readonly trouble?: AgentFailure;
};
const absent: HandoffEvidence = { kind: 'absent' };
const statement = {
  summary: 'it is done',
  files: ['a file.txt'],
  proofs: ['ran the tests'],
  questions: ['is it enough?'],
};
const trip: Trip = { pattern: 'self-revert', file: 'a file.txt', occurrences: 3, class: null, words: ['an edit'] };

/** An agent that speaks a protocol tells its session, and sometimes what it was refused. */
function notesOf({ chaos, planOf }: Tools, job: Job): readonly AgentNote[] {
  const asked: AgentNote = { note: 'asked', paths: ['elsewhere/x.txt'], why: 'it belongs together' };
  const posted = { note: 'posted', post: 1, kind: 'question', target: 'person', text: 'which one?' } as const;
  const told = { note: 'posted', post: 2, kind: 'note', target: 'all', text: 'it is the first' } as const;
  const onBoard = boardNotes(random(Number.parseInt(job.nonce.slice(0, 8), 16)), planOf(job.id.split('.')[0] ?? ''));
  if (job.kind === 'orchestrator') return guidanceNotes(random(Number.parseInt(job.nonce.slice(0, 8), 16)));
  if (job.agent === null)
    return [...(chaos.strikes(0.1) ? [asked] : []), ...(chaos.strikes(0.1) ? [posted, told] : []), ...onBoard];
  const session = sessionOf(job);
  const denied: AgentNote = { note: 'denied', tool: 'Write', because: { rule: 'git-command', command: 'push' } };
  const usage: AgentNote = {
    note: 'usage',
    usage: { turns: 2, inputTokens: 50, outputTokens: 5, cachedTokens: 0, usd: 0.2 },
  };
  return [
    { note: 'started', session, model: 'm' },
    ...(chaos.strikes(0.2) ? [denied, asked, { note: 'tripped', trip } as const] : []),
    ...(chaos.strikes(0.2) ? [usage] : []),
    ...onBoard,
  ];
}

/** Guidance that looks as if it decided something, and things that an orchestrator may not do. */
function guidanceNotes(random: Random): readonly AgentNote[] {
  const guidance = {
    note: 'posted',
    kind: 'orchestrator-guidance',
    text: 'use the first',
    severity: 'critical',
  } as const;
  const references = ['record:1', 'path:a/a.txt'];
  const tried: readonly AgentNote[] = [
    { ...guidance, post: 1, target: 'all', references, dependsOn: ['1'], closureCondition: 'it is used' },
    { ...guidance, post: 2, target: taskId('a') },
    { ...guidance, post: 3, target: 'capability:sql' },
    { ...guidance, post: 4, target: 'person' },
    { note: 'posted', post: 5, kind: 'request', target: taskId('a'), text: 'do more', severity: 'critical' },
    { note: 'posted', post: 6, kind: 'decision', target: 'all', text: 'the first', references },
    { note: 'acted', record: '1', act: 'resolve', text: 'it is settled' },
    { note: 'acted', record: '1', act: 'dismiss', text: 'not needed' },
    { note: 'started', session: 'a session', model: 'm' },
    { note: 'denied', tool: 'tidegate handoff', because: { rule: 'orchestrator-only' } },
    { note: 'tripped', trip },
  ];
  return tried.filter(() => random.chance(0.4));
}

/** Now and then, posts to anybody and acts on any record, allowed or not. */
function boardNotes(random: Random, { waves, board }: FrozenPlan): readonly AgentNote[] {
  if (random.chance(board === undefined ? 0.85 : 0.4)) return [];
  const tasks = waves.flatMap((wave) => [...wave.tasks, ...(wave.closure ?? [])]).map(({ id }) => id);
  const targets = [...tasks, taskId('nobody'), 'person', 'all', 'capability:sql'] as const;
  const severity = (): { readonly severity?: Severity } =>
    random.chance(0.5) ? {} : { severity: random.pick(['advisory', 'normal', 'critical'] as const) };
  if (board !== undefined && random.chance(0.6)) {
    const references = waves.flatMap(({ tasks: some }) => some.flatMap(({ id }) => [`path:${id}/x.txt`]));
    const target = random.pick([...waves.flatMap(({ tasks: some }) => some.map(({ id }) => id)), 'owner'] as const);
    return [{ note: 'posted', post: 10, kind: 'question', target, text: 'which one?', references }];
  }
  const posts = Array.from(
    { length: 1 + random.below(2) },
    (_, index): AgentNote => ({
      note: 'posted',
      post: 10 + index,
      kind: random.pick([
        'question',
        'request',
        'blocker',
        'contradiction',
        'human-escalation',
        'claim',
        'decision',
      ] as const),
      target: random.pick(targets),
      text: 'something of yours is missing',
      ...severity(),
      ...(random.chance(0.3) ? { references: ['path:a file.txt'], closureCondition: 'it is there' } : {}),
    }),
  );
  const acts = Array.from(
    { length: random.below(4) },
    (): AgentNote => ({
      note: 'acted',
      record: String(1 + random.below(6)),
      act: random.pick(recordActs),
      ...(random.chance(0.8) ? { text: 'it is there now' } : {}),
    }),
  );
  return [...posts, ...acts];
}

const sessionOf = (job: Job): string => job.agent?.session?.id ?? `session of ${job.id}`;

function reportOf(job: Job, ending: Ending, trouble: AgentFailure | null): Pick<ExitRecord, 'agent'> {
  if (job.agent === null || ending.reason === 'lost') return {};
  const completed = ending.reason === 'exited' && ending.code === 0;
  const usage = { turns: 3, inputTokens: 100, outputTokens: 10, cachedTokens: 0, usd: 0.5 };
  const outcome = completed ? 'completed' : 'failed';
  return { agent: { ...noReport, session: sessionOf(job), model: 'm', trips: [trip], outcome, trouble, usage } };
}

const troubles: readonly AgentFailureKind[] = [
  'rate-limited',
  'overloaded',
  'needs-login',
  'dropped',
  'unknown-session',
  'budget',
];

function misfortune(chaos: Chaos, job: Job, good: Outcome): Outcome {
  if (job.agent !== null && chaos.random.chance(0.5)) {
    const trouble = { kind: chaos.random.pick(troubles), until: null, words: 'the provider says so' };
    return { ...good, ending: exited(1), handoff: absent, trouble };
  }
  return chaos.random.pick([
    { ...good, ending: exited(1) },
    { ...good, handoff: absent },
    { ...good, handoff: handoff('a-nonce-of-another-attempt') },
    { ...good, handoff: handoff(job.nonce, { status: 'partial', remaining: ['the rest'] }) },
    { ...good, handoff: { kind: 'invalid', because: { rule: 'handoff-json' } } as const },
    { ...good, ending: ended('lost'), handoff: absent },
    { ...good, ending: ended('timed-out'), handoff: absent },
    { ...good, ending: ended('silent'), handoff: absent },
    { ...good, ending: ended('abandoned'), handoff: absent },
    { ...good, ending: ended('spiral'), handoff: absent },
    { ...good, ending: ended('over-budget'), handoff: absent },
    { ...good, ending: ended('launch-failed', { rule: 'program-missing', program: 'x' }), handoff: absent },
    {
      ...good,
      ending: setupFailed,
      handoff: absent,
    },
  ]);
}

/** Files that no snapshot can hold, and a FIFO, which has nothing to hold. The same ones whichever attempt leaves them. */
const untaken: SnapshotEvidence['refused'] = [
  { rule: 'too-large', where: 'big.bin', limit: 'file', bytes: 1 },
  { rule: 'unfit-name', where: '"caf\\351"', fault: 'encoding' },
  { rule: 'special-file', where: 'pipe', kind: 'FIFO' },
];

/** By the work itself: no draw of chance that would make every other history another one. */
const leavesMore = (work: Files): boolean => digest('sha256', JSON.stringify(work), 'hex') < '0c';

function take(git: SimulatedGit, job: Job, files: Files, refused: SnapshotEvidence['refused'] = []): SnapshotEvidence {
  const commit = git.write(files, [job.base], `snapshot ${job.id}`);
  git.move(refs.attempt(job.id), null, commit);
  const diff = git.diff(job.base, commit);
  return { commit, tree: git.read(commit).tree, base: job.base, diff, refused, secrets: [] };
}

const startedRecord = (job: Job, breached = false): StartedRecord => ({
  workspaceBase: job.from,
  fence: breached ? { ...held, canary: 'breached', breaches: [{ breach: 'wrote-outside', at: '/srv/a file' }] } : held,
  argv: job.argv,
  ...(job.agent === null ? {} : { version: '1.0 (simulated agent)' }),
  ...(job.brief === '' ? {} : { prompt: digest('sha256', job.brief, 'hex') }),
});

const exitRecord = (record: Pick<ExitRecord, 'ending' | 'handoff' | 'snapshot' | 'agent'>): ExitRecord => ({
  ...record,
  snapshotProblem: record.snapshot === null ? { rule: 'snapshot-failed', words: 'disk full' } : null,
  log,
  tail: '',
  reminded: false,
  chargedSeconds: 1,
  refusals: [],
});
