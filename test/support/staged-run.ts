import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gitReader } from '../../src/adapters/git/read/index.ts';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import { addConfirmations } from '../../src/adapters/plan-files/config.ts';
import { hashPlan } from '../../src/adapters/plan-files/index.ts';
import { planPlace, readPlanAt } from '../../src/adapters/plan-files/repository-plan.ts';
import { planHash, runId } from '../../src/domain/base/ids.ts';
import { explain } from '../../src/domain/explain/explain.ts';
import type { By, RequestEvent } from '../../src/domain/ledger/requests.ts';
import { stateDir } from '../../src/domain/ledger/state-dir.ts';
import type { FrozenPlan } from '../../src/domain/plan/plan.ts';
import { foldRun, type RunState } from '../../src/domain/run/run.ts';
import { isAtRest, refusals } from '../../src/engine/orders/create-run.ts';
import type { Ledger, Stored } from '../../src/ports/ledger.ts';
import { ended, type Project } from './project.ts';

export const person: By = { who: 'Ada', via: 'command' };
const script = fileURLToPath(new URL('./coordinator-process.mjs', import.meta.url));
const compiled = fileURLToPath(new URL('../../dist/', import.meta.url));

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** The state directory of a project with its ledger, and coordinators to start on it. Removed with the project. */
export async function openStage(scene: Project) {
  const state = stateDir(`${scene.root}/stage`);
  const runDirectory = `${scene.root}/s`;
  for (const directory of [state.root, `${state.root}/runs`, runDirectory])
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  const ledger = await openSqliteLedger(state.ledger);
  const coordinators: ChildProcess[] = [];
  return {
    state,
    ledger,
    async coordinator(env: Readonly<Record<string, string>> = {}, dist = compiled) {
      const child = spawn(process.execPath, [script, scene.checkout, state.root, runDirectory, dist], {
        env: { ...scene.environment, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      coordinators.push(child);
      const over = ended(child);
      const said = await new Promise<string>((resolve) => {
        child.stdout?.once('data', (chunk) => resolve(String(chunk).trim()));
        child.once('close', () => resolve('nothing'));
      });
      if (said === 'nothing') throw new Error(`no coordinator: ${(await over).stderr}`);
      return { child, said, over };
    },
    /** A person allows what the plan asks for beyond the fence. */
    async confirm(): Promise<void> {
      const place = planPlace(scene.checkout, state.root, scene.environment);
      const read = await readPlanAt(place, 'plan.yaml');
      if (!read.ok)
        await addConfirmations(
          state.root,
          read.unconfirmed.map(({ hash }) => hash),
        );
    },
    order: (options: Parameters<typeof order>[3] = {}) => order(scene, state.root, ledger, options),
    async [Symbol.asyncDispose]() {
      for (const child of coordinators)
        if (child.exitCode === null && child.signalCode === null) {
          child.kill('SIGCONT');
          child.kill('SIGTERM');
          await new Promise((resolve) => child.once('close', resolve));
        }
      await ledger[Symbol.asyncDispose]();
    },
  };
}

/** A run of the project's plan, ordered as `tidegate run` orders it, and what a person asks of it. */
async function order(
  scene: Project,
  stateRoot: string,
  ledger: Ledger,
  options: {
    readonly plan?: string;
    readonly wave?: number;
    readonly id?: string;
    readonly expiresMinutes?: number;
    /** A plan that lint would refuse. */
    readonly change?: (plan: FrozenPlan) => FrozenPlan;
  },
) {
  const state = stateDir(stateRoot);
  const planFile = options.plan ?? 'plan.yaml';
  const place = planPlace(scene.checkout, stateRoot, scene.environment);
  const read = await readPlanAt(place, planFile);
  if (!read.ok) throw new Error(`the plan is refused: ${JSON.stringify(read.findings)}`);
  const git = gitReader({ checkout: scene.checkout, repository: state.repository });
  const branch = read.plan.base;
  const commit = await git.branchTip(branch);
  if (commit === null) throw new Error(`no branch ${branch}`);
  const run = runId(options.id ?? 'attack-abcd');
  const { expiresMinutes = read.plan.taps.expiresMinutes } = options;
  const written = options.change?.(read.plan) ?? read.plan;
  const plan = { ...written, taps: { ...written.taps, expiresMinutes } };
  const hash = planHash(hashPlan(plan));
  mkdirSync(state.run(run), { recursive: true, mode: 0o700 });
  await ledger.request(run, {
    type: 'requested-run',
    by: person,
    run,
    plan,
    hash,
    planFile,
    repo: { rootCommit: await git.rootCommit(), remotes: [] },
    target: { branch, commit },
    wave: options.wave ?? null,
    landing: 'as-planned',
    approves: [],
    tidegate: 'test',
  });
  return { run, hash, ...asked(ledger, run, hash) };
}

export type Ordered = Awaited<ReturnType<typeof order>>;

function asked(ledger: Ledger, run: ReturnType<typeof runId>, hash: ReturnType<typeof planHash>) {
  const request = (event: RequestEvent): Promise<Stored> => ledger.request(run, event);
  const read = async (): Promise<RunState | null> => foldRun(await ledger.read(run));
  /** When nothing more happens without a person. */
  const settled = async (): Promise<RunState> => {
    const state = await until((reached) => isAtRest(reached, now()));
    if (state.mode.mode === 'halted') throw new Error(`${run} is halted: ${explain(state.mode.because).detail}`);
    return state;
  };
  const until = (isReached: (state: RunState) => boolean): Promise<RunState> =>
    new Promise((resolve, reject) => {
      let reading = Promise.resolve();
      const look = async (): Promise<void> => {
        const state = await read();
        if (state === null || state.pending.length > 0 || !isReached(state)) return;
        resolve(state);
        void subscription[Symbol.asyncDispose]();
      };
      const subscription = ledger.subscribe(0, () => {
        reading = reading.then(look).catch(reject);
      });
    });
  return {
    request,
    read,
    until,
    settled,
    events: () => ledger.read(run),
    async approve(): Promise<RunState> {
      const before = await until((state) => state.taps.start?.status === 'pending' || state.ended !== null);
      if (before.ended !== null) throw new Error(`${run} is refused: ${JSON.stringify(refusals(before))}`);
      await request({ type: 'requested-approve', tap: 'start', hash, at: new Date().toISOString(), by: person });
      return await settled();
    },
    async drop(task: string): Promise<RunState> {
      await request({ type: 'requested-drop', task: task as never, paths: [], by: person });
      return await settled();
    },
  };
}

const now = () => ({ now: new Date().toISOString(), nonce: () => '' });
