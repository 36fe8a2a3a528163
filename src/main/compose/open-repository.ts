import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { stateDisk } from '../../adapters/disk/index.ts';
import { probeFence } from '../../adapters/fence/probe.ts';
import { writeDurably } from '../../adapters/files/durable-file.ts';
import {
  gitReader,
  isAuthorKnown,
  keptSnapshots,
  readCheckoutState,
  readLineCounts,
  readLog,
  readPatch,
  secretsInCheckout,
  trySigning,
} from '../../adapters/git/read/index.ts';
import { memoryLedger } from '../../adapters/ledger/memory/index.ts';
import { openSqliteLedger } from '../../adapters/ledger/sqlite/index.ts';
import { takeMarkers } from '../../adapters/markers/index.ts';
import { letsAgentsDecide, userConfigFile } from '../../adapters/plan-files/config.ts';
import { planPlace, readDiskLimits, readSettings, underFlags } from '../../adapters/plan-files/repository-plan.ts';
import { type Caller, callerOf, personsHome, personsName } from '../../adapters/process/caller.ts';
import { isAlive, isStopped } from '../../adapters/process/process-identity.ts';
import {
  findRepository,
  locateStateDirectory,
  makePlaces,
  olderState,
  placeInputs,
  type Repository,
} from '../../adapters/state-directory/index.ts';
import { jobFiles } from '../../adapters/supervisors/job-directory.ts';
import { agentReady } from '../../agents/readiness.ts';
import type { Context } from '../../cli/frame/command.ts';
import type { OpenRepository, RepositoryAccess } from '../../cli/frame/ports.ts';
import { stoppedNote } from '../../cli/frame/subject.ts';
import { err, ok } from '../../domain/base/result.ts';
import { refs, type StateDir, stateDir } from '../../domain/ledger/state-dir.ts';
import { canonicalJson } from '../../domain/plan/plan.ts';
import { answerOf } from '../../engine/ask.ts';
import { coordinatorStart } from '../../engine/follow-ledger.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { Hosting, RepositoryHandle } from '../../ports/repository-handle.ts';
import { type HostSetting, hostCoordinator, startBackground } from './coordinator.ts';
import { readPlan, rereadPlan } from './plans.ts';

/** Opens the repository that the command was called in. */
export const openRepository: OpenRepository = async (context, mode) => {
  const repository = await findRepository(context.cwd);
  if (!repository.ok) return repository;
  const inputs = placeInputs(context);
  const located = await locateStateDirectory(repository.value, inputs);
  if (!located.ok) return located;
  const state = stateDir(located.value.path);
  const caller = await callerAt(context);
  const place = { repository: repository.value, state };
  // a missing ledger with a head is lost, not new: opening it reports that
  const kept = (await exists(state.ledger)) || (await exists(`${state.ledger}.head`));
  const { older, path } = located.value;
  if (older !== null && !kept) noteOnce(context.terminal, olderState(older, path));
  if (mode !== 'act' && !kept) return ok(handleOf(context, caller, place, memoryLedger(), null));
  const made = await makePlaces(repository.value, located.value, inputs);
  if (!made.ok) return made;
  if (!kept) for (const warning of located.value.warnings) context.terminal.problem(`tidegate: note: ${warning}`);
  const setting: HostSetting = {
    checkout: repository.value.toplevel,
    state,
    runDirectory: made.value,
    env: context.env,
    version: context.version,
    bell: context.json || !process.stderr.isTTY ? null : () => void process.stderr.write('\x07'),
  };
  const repo = handleOf(context, caller, place, await openLedger(state, mode), setting);
  const stopped = await repo.stoppedCoordinator();
  if (stopped !== null) noteOnce(context.terminal, stoppedNote(stopped));
  // a coordinator reads the markers itself
  const isRead = mode === 'act' || (await repo.isCoordinated());
  for (const request of isRead ? [] : await takeMarkers(state, repo.ledger)) await answerOf(repo, request);
  return ok(repo);
};

/** Prints a note once, although a command that looks before it acts opens the repository twice. */
function noteOnce(terminal: Context['terminal'], note: string): void {
  if (noted.has(terminal)) return;
  noted.add(terminal);
  terminal.problem(`tidegate: note: ${note}`);
}
const noted = new WeakSet<Context['terminal']>();

/** Looking must stay cheap: `verify` and every writer check the whole chain. */
const openLedger = (state: StateDir, mode: RepositoryAccess): Promise<Ledger> =>
  openSqliteLedger(state.ledger, { check: mode === 'look' ? 'head' : 'chain' });

/** Returns the caller, inside a repository or not. */
export async function callerAt({ env, terminal }: Context): Promise<Caller> {
  const person = { name: personsName(env), terminal: terminal.interactive };
  return callerOf(env, { ...person, letsAgentsDecide: await letsAgentsDecide(userConfigFile(env, personsHome())) });
}

function handleOf(
  context: Context,
  caller: Caller,
  place: { readonly repository: Repository; readonly state: StateDir },
  ledger: Ledger,
  setting: HostSetting | null,
): RepositoryHandle {
  const { repository, state } = place;
  const checkout = repository.toplevel;
  const plans = planPlace(checkout, state.root, context.env);
  const isCoordinated = async (): Promise<boolean> => {
    const held = await ledger.holder();
    return held !== null && isAlive(held.holder);
  };
  const stoppedCoordinator = async (): Promise<number | null> => {
    const held = await ledger.holder();
    return held !== null && isStopped(held.holder) ? held.holder.pid : null;
  };
  const coordinates = (): HostSetting => {
    if (setting === null) throw new Error('a handle for looking cannot coordinate');
    return setting;
  };
  return {
    ledger,
    git: gitReader({ checkout, repository: state.repository }),
    state,
    checkout,
    caller,
    clock: {
      now: () => new Date().toISOString(),
      sleep: async () => {
        throw new Error('commands wait for events');
      },
      nonce: () => randomBytes(16).toString('hex'),
    },
    files: jobFiles(state),
    disk: stateDisk(state, () => readDiskLimits(plans)),
    patches: {
      text: (from, to, paths) => readPatch(state.repository, from, to, paths),
      counts: (from, to) => readLineCounts(state.repository, from, to),
      log: (from, to) => readLog(state.repository, from, to),
      snapshots: async (run) => ((await exists(state.repository)) ? await keptSnapshots(state.repository, run) : []),
    },
    readPlan: async (source, flags) => underFlags(await readPlan(context, source, flags), flags),
    rereadPlan: async ({ run, planFile, target, landing, plan, uncommitted }) => {
      const land = landing === 'as-planned' ? null : landing;
      const flags = { land, focus: plan.focus ?? null } as const;
      const start = { repository: { gitDir: state.repository }, ref: refs.uncommitted(run) };
      return underFlags(await rereadPlan(context, planFile, target.branch, uncommitted ? start : null), flags);
    },
    settings: () => readSettings(plans),
    isAuthorKnown: () => isAuthorKnown(checkout, context.env),
    fence: async () => {
      const probe = probeFence(context.env);
      return probe.works ? ok(probe.version) : err(probe.because);
    },
    host: async () => hosting(coordinates(), ledger),
    isCoordinated,
    stoppedCoordinator,
    patienceMs: 10_000,
    ensureCoordinator: async () => {
      if (await isCoordinated()) return (await stoppedCoordinator()) === null;
      const started = await coordinatorStart(ledger, () => once(startBackground(coordinates()), 'exit'));
      // a quick coordinator may have answered and ended by now
      return started || (await isCoordinated());
    },
    edit: async (planFile) => {
      const { openEditor } = await import('../../adapters/person-programs/index.ts');
      using _ = context.onSignal(() => undefined);
      return await openEditor(resolve(checkout, planFile), context.env);
    },
    checkoutState: (owned) => readCheckoutState(checkout, context.env, owned),
    secretsIn: (paths, before) => secretsInCheckout(checkout, paths, before),
    damagedProofs: async (run, files, hasEnded) => {
      const { damagedProofs, isCleaned } = await import('../../adapters/kept-proofs/index.ts');
      return await damagedProofs(
        state,
        run,
        files.filter((file) => !hasEnded || !isCleaned(state, run, file)),
      );
    },
    keepProof: async (run, cwd, file) => {
      const { keepProof } = await import('../../adapters/files/keep-proof.ts');
      return await keepProof(state.proofs(run), cwd, file);
    },
    trySigning: () => trySigning(checkout, context.env),
    agentReady: async (agent) => agentReady(agent, context.env),
    openRunDirectory: async ({ run, plan }, text = null) => {
      await mkdir(state.run(run), { recursive: true, mode: 0o700 });
      if (text !== null) writeDurably(state.writtenPlan(run), text);
      writeDurably(`${state.run(run)}/plan.json`, `${canonicalJson(plan)}\n`);
    },
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  };
}

async function hosting(setting: HostSetting, ledger: Ledger): Promise<Hosting> {
  const hosted = await hostCoordinator(setting, ledger);
  const never = new Promise<never>(() => undefined);
  if (hosted.outcome === 'held')
    return { role: 'guest', failed: never, idle: () => never, stop: async () => undefined };
  return {
    role: 'host',
    failed: hosted.engine.failed,
    idle: () => hosted.engine.idle(),
    stop: async (then) => {
      await hosted.stop();
      if (then === 'background') startBackground(setting);
    },
  };
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
