import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentNote } from '../../../src/domain/agents/agent-note.ts';
import type { AgentEvent } from '../../../src/domain/tool-calls/agent-event.ts';
import { toolScopeOf } from '../../../src/domain/tool-calls/tool-scope.ts';
import type {
  AgentJob,
  ExitRecord,
  Job,
  NumberedNote,
  StartedRecord,
  Supervisors,
} from '../../../src/ports/supervisor.ts';
import { frozenPlan, plannedTask } from '../../support/plans.ts';
import { follow, type Scene, supervisedScene } from '../../support/supervised.ts';
import type { Script } from '../model-server/script.ts';
import { type ModelServer, modelServer } from '../model-server/server.ts';
import { type Driver, kindOf } from './drivers.ts';
import { garruleProgram, linkPrograms } from './programs.ts';

/** A repository, a scripted model and supervisors for one real agent. Gone with the scope. */
export interface Bench extends AsyncDisposable {
  readonly scene: Scene;
  readonly server: ModelServer;
  /** Starts an attempt in the fence; the model says what the script says. */
  start(script: Script, wanted?: Wanted): Started;
  run(script: Script, wanted?: Wanted): Promise<Attempt>;
}

export type Wanted = {
  readonly job?: Partial<Job>;
  readonly agent?: Partial<AgentJob>;
  readonly environment?: Readonly<Record<string, string>>;
  /** The variable that logs it in, when it is another. */
  readonly key?: string;
  /** Lines that the program prints before it is itself. */
  readonly garrule?: readonly string[];
};

type Started = {
  readonly job: Job;
  /** Names the script in the server. */
  readonly name: string;
  readonly supervisors: Supervisors;
  /** So far. */
  notes(): readonly NumberedNote[];
  readonly ended: Promise<Attempt>;
};

/** What is known of an attempt that has ended, by us and by the model. */
export type Attempt = {
  readonly job: Job;
  readonly started: StartedRecord | null;
  readonly exit: ExitRecord;
  readonly notes: readonly AgentNote[];
  readonly events: readonly AgentEvent[];
  /** All that the model was sent when it was asked for a turn the last time; empty when it never was. */
  told(turn: number): string;
  readonly changed: readonly string[];
  /** Since the model was asked for the first time. */
  readonly seconds: number;
};

const task = plannedTask('task', { owns: ['src/**'] });
const scope = toolScopeOf(frozenPlan([[task]]), task, []);

export async function agentBench(driver: Driver, files: Readonly<Record<string, string>> = {}): Promise<Bench> {
  const stack = new AsyncDisposableStack();
  const server = stack.use(await modelServer());
  const scene = stack.use(await supervisedScene({ 'readme.md': 'hello\n', 'src/there.txt': 'there\n', ...files }));
  const bin = join(scene.repo.home, 'bin');
  linkPrograms(bin, [driver]);
  const { executor, program, arguments: always, drives, credentials, variables, standIns = [] } = kindOf(driver);

  const start = (script: Script, wanted: Wanted = {}): Started => {
    const name = `s${randomBytes(3).toString('hex')}`;
    server.play(name, script);
    const garrule = wanted.garrule === undefined ? null : join(scene.repo.home, `${name}-bin`);
    const read = garrule === null ? [] : garruleProgram(garrule, driver, wanted.garrule ?? []);
    const job = scene.job({
      executor,
      brief: `[[script:${name}]] Do the task.\n`,
      fence: { mode: 'auto', network: 'on', read, write: [], env: [] },
      agent: {
        program,
        arguments: always,
        ...(drives === undefined ? {} : { drives }),
        credentials,
        variables,
        model: driver.model,
        turns: null,
        usd: 10,
        session: null,
        scope,
        breaker: 'normal',
        ...wanted.agent,
      },
      readOnly: ['.claude', '.codex', '.opencode', '.gemini', ...standIns],
      minutes: 3,
      silence: 3,
      ...wanted.job,
    });
    const supervisors = scene.coordinator({
      PATH: `${garrule ?? bin}:${process.env['PATH'] ?? ''}`,
      [wanted.key ?? driver.key]: 'sk-conformance-0123456789',
      ...driver.variables(server.urlOf(name)),
      ...wanted.environment,
    });
    let begun = performance.now();
    void server
      .waitFor(name, () => true)
      .then(() => {
        begun = performance.now();
      });
    const ended = follow(supervisors, job).ended.then(async ({ record }): Promise<Attempt> => {
      await supervisors.acknowledge(job.id);
      const asked = (turn: number) => server.requests(name).findLast((one) => !one.side && one.turn === turn);
      const directory = join(scene.jobs, job.id);
      return {
        job,
        started: scene.files(job).started(),
        exit: record,
        notes: linesIn<NumberedNote>(join(directory, 'notes.jsonl')).map(({ note }) => note),
        events: linesIn<AgentEvent>(join(directory, 'transcript.jsonl')),
        told: (turn) => JSON.stringify(asked(turn)?.body ?? ''),
        changed: (record.snapshot?.diff ?? []).map(({ path, change }) => `${change} ${path}`),
        seconds: (performance.now() - begun) / 1000,
      };
    });
    const notes = () => scene.files(job).notes();
    return { job, name, supervisors, notes, ended };
  };
  return {
    scene,
    server,
    start,
    run: (script, wanted) => start(script, wanted).ended,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const linesIn = <T>(file: string): readonly T[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as T)
    : [];
