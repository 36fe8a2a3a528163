import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isAlive } from '../../src/adapters/process/process-identity.ts';
import { processSupervisors, type SupervisorProgram } from '../../src/adapters/supervisors/index.ts';
import { type JobDirectory, jobDirectory } from '../../src/adapters/supervisors/job-directory.ts';
import { untilDead } from '../../src/adapters/supervisors/orphans.ts';
import { describeWithFix } from '../../src/domain/explain/explain.ts';
import type { ExitRecord, Job, SupervisorEvent, Supervisors } from '../../src/ports/supervisor.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

type EventOf<T extends SupervisorEvent['type']> = Extract<SupervisorEvent, { type: T }>;

/** A repository, its bare copy and supervisors as real processes, all gone with the scope. */
export type Scene = AsyncDisposable & {
  readonly repo: TempRepo;
  readonly jobs: string;
  job(wanted?: Partial<Job>): Job;
  files(job: Job): JobDirectory;
  /** Another coordinator over the same state. */
  coordinator(environment?: Record<string, string>): Supervisors;
  /** Runs a job to its end and acknowledges it. */
  run(
    wanted: Partial<Job>,
    environment?: Record<string, string>,
  ): Promise<EventOf<'ended'>['record'] & { output: string }>;
};

const root = resolve(import.meta.dirname, '../..');

export async function supervisedScene(files: Record<string, string> = { 'readme.md': 'hello\n' }): Promise<Scene> {
  const repo = await tempRepo();
  const commit = repo.commit('first', files);
  const repository = await repo.bare(commit);
  const jobs = join(repo.home, 'jobs');
  mkdirSync(jobs, { mode: 0o700 });
  const open: Supervisors[] = [];
  const program = (environment: Record<string, string>): SupervisorProgram => ({
    jobs,
    node: process.execPath,
    program: join(root, 'dist/main/supervisor.js'),
    // A test that fails must not leave supervisors waiting for a quarter of an hour.
    environment: { ...process.env, TIDEGATE_ABANDON_SECONDS: '10', ...environment },
  });
  const coordinator = (environment: Record<string, string> = {}): Supervisors => {
    const supervisors = processSupervisors(program(environment));
    open.push(supervisors);
    return supervisors;
  };
  const job = (wanted: Partial<Job> = {}): Job => ({
    id: `demo-ab12.task.${randomBytes(3).toString('hex')}`,
    nonce: randomBytes(16).toString('hex'),
    kind: 'attempt',
    repository,
    from: commit,
    base: commit,
    argv: ['/bin/sh', '-c', 'true'],
    executor: 'command',
    agent: null,
    brief: 'do it\n',
    setup: null,
    isPersons: true,
    teardown: null,
    cache: join(repo.home, 'cache'),
    checkout: repo.path,
    fence: { mode: 'auto', network: 'off', read: [], write: [], env: [] },
    environment: {},
    minutes: 1,
    silence: 1,
    runDirectory: join(repo.home, 'run'),
    readOnly: [],
    ...wanted,
  });
  const filesOf = (of: Job): JobDirectory => jobDirectory(join(jobs, of.id));
  return {
    repo,
    jobs,
    job,
    files: filesOf,
    coordinator,
    async run(wanted, environment) {
      const supervisors = coordinator(environment);
      const wantedJob = job(wanted);
      const ended = await follow(supervisors, wantedJob).ended;
      await supervisors.acknowledge(wantedJob.id);
      if (ended.record.log.sha256 === '') throw new Error(JSON.stringify(ended.record.ending));
      return { ...ended.record, output: readFileSync(join(jobs, ended.record.log.file), 'utf8') };
    },
    async [Symbol.asyncDispose]() {
      for (const supervisors of open) await supervisors.detach();
      for (const id of readdirSync(jobs)) await dismiss(jobDirectory(join(jobs, id)));
      await repo[Symbol.asyncDispose]();
    },
  };
}

/** Ends the supervisor of a job, whatever it waits for. */
async function dismiss(files: JobDirectory): Promise<void> {
  const record = files.supervisor();
  if (record === null || !isAlive(record)) return;
  if (!files.isAcknowledged()) files.acknowledge();
  if (files.exit() === null) process.kill(record.pid, 'SIGTERM');
  await untilDead(record);
}

/** A job under way, event by event. */
export function follow(supervisors: Supervisors, job: Job) {
  const started = Promise.withResolvers<EventOf<'started'>>();
  const ended = Promise.withResolvers<EventOf<'ended'>>();
  const ensured = supervisors.ensure(job, (event) => {
    if (event.type === 'started') started.resolve(event);
    if (event.type === 'ended') ended.resolve(event);
  });
  ensured.catch(ended.reject);
  return { started: started.promise, ended: ended.promise, ensured };
}

/** Why an attempt ended, as people are told. */
export const whyOf = ({ ending: { because } }: Pick<ExitRecord, 'ending'>): string =>
  because === undefined ? '' : describeWithFix(because);
