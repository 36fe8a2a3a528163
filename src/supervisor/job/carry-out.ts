import { existsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  agentUser,
  callFilter,
  FenceUnavailable,
  fencedWorkspace,
  findHost,
  type Host,
} from '../../adapters/fence/index.ts';
import { chooseHandoff, readHandoffFile } from '../../adapters/handoff/index.ts';
import type { JobDirectory } from '../../adapters/supervisors/job-directory.ts';
import { makeWorkspace } from '../../adapters/workspace/index.ts';
import { findLogin } from '../../agents/common/login.ts';
import { findProgram } from '../../agents/common/program.ts';
import { loadExecutor } from '../../agents/load-executor.ts';
import { noReport } from '../../domain/agents/agent-note.ts';
import { describeWithFix } from '../../domain/explain/explain.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { boundedWords } from '../../domain/findings/words.ts';
import type { Ending, HandoffEvidence } from '../../domain/gates/evidence.ts';
import type { AgentFailure } from '../../domain/tool-calls/agent-event.ts';
import type { ToolPlace } from '../../domain/tool-calls/tool-scope.ts';
import { failureOf, isEnvironmental } from '../../ports/failures.ts';
import type { ExitRecord, Job } from '../../ports/supervisor.ts';
import { agentHome } from '../agent/agent-seat.ts';
import { watchAgent } from '../agent/agent-watch.ts';
import { reminder } from '../agent/reminder.ts';
import { takeAsks } from '../channel/asks.ts';
import { openClientChannel } from '../channel/client-channel.ts';
import { takePosts } from '../channel/posts.ts';
import type { LiveSteering } from '../channel/steering.ts';
import { knownSecrets } from '../output/known-secrets.ts';
import { type Output, openOutput } from '../output/output.ts';
import { redactTexts } from '../output/redact.ts';
import { ownerOf, type PreparedJob, runAgent, runSetup, runTeardown } from './job-processes.ts';
import { lfsStores } from './lfs-stores.ts';
import { openNotes } from './notes.ts';
import { protectPaths, removeStandIns } from './read-only-paths.ts';
import { launchFailed } from './run-fenced.ts';
import type { RuntimeDirectory } from './runtime-directory.ts';
import { scrubHome } from './scrub-home.ts';
import { jobSnapshot } from './snapshot-of.ts';
import type { SupervisorHost } from './supervise.ts';
import { openWayOut } from './way-out.ts';

export type JobOrder = {
  readonly job: Job;
  readonly files: JobDirectory;
  readonly runtime: RuntimeDirectory;
  readonly around: SupervisorHost;
  readonly stop: AbortSignal;
  readonly steering: LiveSteering;
  end(reason: Ending['reason'], because: Finding): void;
  onStarted(): void;
  /** Something was added to `notes.jsonl`. */
  onNoted(): void;
};

/** Workspace, setup, agent, handoff, snapshot, teardown. The record that it returns says how each went. */
export async function carryOut(order: JobOrder): Promise<ExitRecord> {
  const secrets = knownSecrets(order.job, order.around.environment);
  const output = openOutput(order.files.output, secrets);
  const because = whyNotLoggedIn(order);
  if (because !== null) {
    const trouble: AgentFailure = { kind: 'needs-login', until: null, words: '', because };
    return record(output, { ending: launchFailed(because), agent: { ...noReport, trouble } });
  }
  const prepared = await prepare(order, output);
  if ('reason' in prepared) return record(output, { ending: prepared });
  const executor = await loadExecutor(order.job.executor, order.job.agent?.program ?? '');
  const notes = openNotes(order.files.path, secrets, order.onNoted);
  const place = toolPlace(order, prepared.host);
  const watching = { ...order, place, notes };
  const watch = order.job.agent === null ? null : watchAgent(order.job.agent, executor, watching, secrets);
  const closed = { workspace: place.workspace, readOnly: prepared.readOnly.map(({ target }) => target) };
  const asks = takeAsks(closed, order.job.terms?.scope ?? order.job.agent?.scope ?? null, notes.add);
  const posts = takePosts(order.job.id, order.job.terms?.inbox, notes.add);
  order.steering.onTerms((terms) => {
    watch?.terms(terms);
    asks.terms(terms);
    posts.terms(terms);
  });
  if (watch !== null) order.steering.onSend({ say: watch.say, note: notes.add });
  await using channel = await openClientChannel(order.runtime.clientSocket, order.job.nonce, {
    pipes: { mkfifo: prepared.host.tools.mkfifo, owner: prepared.host.agent.uid },
    keep: (handoff) => order.files.writeHandoff(redactTexts(handoff, secrets())),
    hook: watch?.hook ?? null,
    ask: asks.ask,
    post: posts.post,
    inbox: posts.inbox,
    scope: asks.scope,
  });
  await using _ = await openWayOut(watching, watch, secrets);
  const base = { ...order, ...prepared, output, channel, executor, watch };
  const setUp = await runSetup(base);
  if (setUp !== null) {
    removeStandIns(order.files);
    return record(output, { ending: setUp });
  }
  const first = await runAgent(base, order.job.brief, {});
  const second = await remindIfSilent(base, first.ending);
  const ending = second?.ending ?? first.ending;
  const chargedSeconds = Math.round((first.limits.chargedMs + (second?.limits.chargedMs ?? 0)) / 1000);
  const sleptSeconds = Math.round((first.limits.sleptMs + (second?.limits.sleptMs ?? 0)) / 1000);
  removeStandIns(order.files);
  const known = secrets();
  scrubHome(agentHome(order.files, order.job), known);
  const snapshot = await jobSnapshot(order.job, order.files, order.around.environment, known);
  await runTeardown(base);
  return record(output, {
    ending,
    handoff: redactTexts(handoffOf(base), known),
    ...snapshot,
    reminded: second !== null,
    chargedSeconds,
    ...(sleptSeconds === 0 ? {} : { sleptSeconds }),
    refusals: redactTexts(channel.refusals(), known),
    ...(watch === null ? {} : { agent: watch.close() }),
  });
}

type Prepared = Pick<PreparedJob, 'host' | 'readOnly'>;

/** The workspace and what its fence is made of, or why the agent cannot be launched. */
async function prepare(order: JobOrder, output: Output): Promise<Prepared | Ending> {
  const { job, files } = order;
  try {
    const host = findHost(order.around.environment, [job.checkout, dirname(job.repository)], job.id);
    // Throws where no fence can be made, before any work is done for it.
    if (job.fence.mode !== 'none') callFilter();
    const owner = ownerOf(job, host) ?? {};
    const { findings } = await makeWorkspace({
      repository: job.repository,
      directory: files.workspace,
      commit: job.from,
      base: job.base,
      onCopied: files.writeCopied,
      ...(existsSync(job.checkout) ? { modules: job.checkout } : {}),
      lfs: { attributes: job.base, stores: lfsStores(job, order.around.environment).stores },
      ...owner,
      ...(job.kind === 'attempt' && existsSync(job.checkout) ? { checkout: job.checkout } : {}),
    });
    for (const finding of findings) output.write(Buffer.from(`[tidegate: ${describeWithFix(finding)}]\n`));
    const paths = job.fence.mode === 'none' ? [] : job.readOnly;
    return { host, readOnly: protectPaths(files, paths, host.agent.uid).binds };
  } catch (error) {
    if (error instanceof FenceUnavailable) return launchFailed(error.finding);
    const why = isEnvironmental(error) ? { because: failureOf(error) } : { words: boundedWords(messageOf(error)) };
    return launchFailed({ rule: 'workspace-not-made', ...why });
  }
}

/** An agent that cannot log in is not launched: no workspace, no tokens. What a plan passes by name may be a login of its own. */
function whyNotLoggedIn({ job, around }: JobOrder): Finding | null {
  if (job.agent?.login?.required !== true || job.fence.env.some((name) => around.environment[name])) return null;
  if (findProgram(job.agent.program, around.environment, (path) => path) === null) return null;
  const found = findLogin(job.agent, around.environment, agentUser(job.id));
  if (found.by === 'nothing') return found.because;
  const isUseless = found.by === 'file' && job.fence.mode === 'none';
  return isUseless ? { rule: 'login-needs-fence', program: job.agent.program } : null;
}

/** Exit 0 and not a word: the same program is told once, free of charge, how to hand off. */
async function remindIfSilent(running: PreparedJob, ending: Ending) {
  if (running.job.kind !== 'attempt' || running.stop.aborted) return null;
  if (ending.reason !== 'exited' || ending.code !== 0 || handoffOf(running).kind !== 'absent') return null;
  if (running.watch?.outcome() === 'failed') return null;
  writeFileSync(running.runtime.brief, reminder);
  return await runAgent(running, reminder, { TIDEGATE_REMINDER: '1' });
}

const handoffOf = ({ job, channel, files }: PreparedJob): HandoffEvidence =>
  job.kind === 'attempt'
    ? chooseHandoff(channel.handoff(), readHandoffFile(files.workspace, job.nonce))
    : { kind: 'absent' };

/** Where tools may write besides the workspace. Without a fence the home is the person's, not the agent's. */
function toolPlace({ job, files }: JobOrder, host: Host): ToolPlace {
  const scratch = ['/tmp', '/var/tmp', ...job.fence.write];
  const { checkout } = job;
  return job.fence.mode === 'none'
    ? { workspace: files.workspace, home: null, writable: scratch, checkout }
    : { workspace: fencedWorkspace, home: host.home, writable: [...scratch, host.home], checkout };
}

function record(output: Output, told: Partial<ExitRecord> & Pick<ExitRecord, 'ending'>): ExitRecord {
  return {
    handoff: { kind: 'absent' },
    snapshot: null,
    snapshotProblem: null,
    reminded: false,
    chargedSeconds: 0,
    refusals: [],
    ...told,
    log: output.close(),
    tail: output.shown(),
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
