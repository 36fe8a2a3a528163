import { writeFileSync } from 'node:fs';
import { agentUser, FenceUnavailable, fencedWorkspace, type Host } from '../../adapters/fence/index.ts';
import { removeTreeSync } from '../../adapters/files/remove-tree.ts';
import { chooseHandoff, readHandoffFile } from '../../adapters/handoff/index.ts';
import { findProgram } from '../../adapters/process/program.ts';
import { loadExecutor } from '../../agents/agents.ts';
import { findLogin } from '../../agents/common/login.ts';
import { noReport } from '../../domain/agents/agent-note.ts';
import { reminder, verdictReminder } from '../../domain/agents/handoff-commands.ts';
import { reportInMarkers } from '../../domain/closure/markers.ts';
import type { ClosureRole } from '../../domain/closure/roles.ts';
import { describeWithFix } from '../../domain/explain/explain.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { boundedWords } from '../../domain/findings/words.ts';
import type { Ending, HandoffEvidence } from '../../domain/gates/evidence.ts';
import type { AgentFailure } from '../../domain/tool-calls/agent-event.ts';
import type { ToolPlace } from '../../domain/tool-calls/tool-scope.ts';
import { failureOf, isEnvironmental } from '../../ports/failures.ts';
import type { ExitRecord, Job } from '../../ports/supervisor.ts';
import { type AgentWatch, watchAgent } from '../agent/agent-watch.ts';
import { agentHome } from '../agent/launch.ts';
import { openTranscript } from '../agent/transcript.ts';
import { takeAsks } from '../channel/asks.ts';
import { openClientChannel } from '../channel/client-channel.ts';
import { refuseAllButGuidance, takePosts } from '../channel/posts.ts';
import { type AgentWords, deafToAgent, hearAgent } from '../output/agent-words.ts';
import { displayed, type Output, openOutput } from '../output/output.ts';
import { type KnownSecrets, knownSecrets, redactTexts } from '../output/redact.ts';
import { openReport } from './check-report.ts';
import { hasRepository, isFenced, type JobContext, type PreparedJob } from './context.ts';
import { type Notes, openNotes } from './control.ts';
import { runAgent, runSetup, runTeardown } from './processes.ts';
import { protectPaths, removeStandIns } from './read-only-paths.ts';
import { launchFailed, openJobRelay } from './run-fenced.ts';
import { jobSnapshot, scrubHome } from './snapshot.ts';
import { makeJobWorkspace } from './workspace.ts';

/** Makes the workspace, runs setup and agent, reads the handoff, takes the snapshot, and tears down. Returns how each went. */
export async function carryOut(context: JobContext): Promise<ExitRecord> {
  const { job, files, environment, steering } = context;
  const secrets = knownSecrets(job, environment);
  const output = openOutput(files.output, secrets);
  const because = whyNotLoggedIn(context);
  if (because !== null) {
    const trouble: AgentFailure = { kind: 'needs-login', until: null, words: '', because };
    return record(output, { ending: launchFailed(because), agent: { ...noReport, trouble } });
  }
  const workspace = await prepareWorkspace(context, output);
  if ('reason' in workspace) return record(output, { ending: workspace });
  const { host, readOnly } = workspace;
  const executor = await loadExecutor(job.executor, job.agent?.program ?? '');
  const notes = openNotes(files.path, secrets, context.onNoted);
  const place = toolPlace(context, host);
  // a program prints what the code prints that it runs, so its marker lines count only if the plan says so
  const isHeard = job.closes !== undefined && (job.agent !== null || job.markers === true);
  const report = job.parse === undefined ? null : openReport(job.parse, files.workspace);
  const words = report?.words ?? (isHeard ? hearAgent() : deafToAgent);
  const watched = { ...context, place, notes, secrets, hear: words.add };
  const watch = job.agent === null ? null : watchAgent(job.agent, executor, watched);
  const closed = { workspace: place.workspace, readOnly: readOnly.map(({ target }) => target) };
  const asks = takeAsks(closed, job.terms?.scope ?? job.agent?.scope ?? null, notes.add);
  const isOrchestrator = job.kind === 'orchestrator';
  const posts = takePosts({ attempt: job.id, closes: job.closes, isOrchestrator }, job.terms, notes.add);
  steering.onTerms((terms) => {
    watch?.terms(terms);
    asks.terms(terms);
    posts.terms(terms);
  });
  if (watch !== null) steering.onSend({ say: watch.say, note: notes.add });
  await using channel = await openClientChannel(context.runtime.clientSocket, job, {
    pipes: { mkfifo: host.tools.mkfifo, owner: host.agent.uid },
    keep: (handoff) => files.writeHandoff(redactTexts(handoff, secrets())),
    hook: watch?.hook ?? null,
    ask: asks.ask,
    post: posts.post,
    act: posts.act,
    inbox: posts.inbox,
    ...(isOrchestrator ? { refuse: refuseAllButGuidance(notes.add) } : {}),
    scope: asks.scope,
  });
  using denials = openDenials({ ...context, notes, secrets }, watch);
  await using _ = await openJobRelay(context, denials.note);
  const prepared: PreparedJob = { ...context, host, readOnly, output, channel, executor, watch, words };
  const setUp = await runSetup(prepared);
  if (setUp !== null) {
    removeStandIns(files);
    return record(output, { ending: setUp });
  }
  report?.clear();
  const first = await runAgent(prepared, job.brief, {});
  const second = await remindIfSilent(prepared, first.ending);
  const ending = withProgram(job, second?.ending ?? first.ending);
  const chargedSeconds = Math.round((first.limits.chargedMs + (second?.limits.chargedMs ?? 0)) / 1000);
  const sleptSeconds = Math.round((first.limits.sleptMs + (second?.limits.sleptMs ?? 0)) / 1000);
  removeStandIns(files);
  const values = secrets();
  scrubHome(agentHome(files, job), values);
  const read = report?.read(ending);
  const snapshot = await jobSnapshot(context, values);
  await runTeardown(prepared);
  if (!hasRepository(job)) removeTreeSync(files.workspace);
  return record(output, {
    ending,
    handoff: redactTexts(handoffOf(prepared), values),
    ...snapshot,
    reminded: second !== null,
    chargedSeconds,
    ...(sleptSeconds === 0 ? {} : { sleptSeconds }),
    refusals: redactTexts(channel.refusals(), values),
    ...(watch === null ? {} : { agent: watch.close() }),
    ...(read === undefined ? {} : { report: redactTexts(read, values) }),
  });
}

/** Names the program of a command that could not be run. */
function withProgram({ kind, agent, argv }: Job, ending: Ending): Ending {
  const { reason, code } = ending;
  const [command] = argv;
  if (
    (kind !== 'attempt' && kind !== 'orchestrator') ||
    agent !== null ||
    command === undefined ||
    ending.because !== undefined
  )
    return ending;
  if (reason !== 'exited' || (code !== 126 && code !== 127)) return ending;
  return { ...ending, because: { rule: 'command-status', command, code } };
}

/** Makes the workspace and finds what its fence is made of, or returns why the agent cannot be launched. */
async function prepareWorkspace(
  context: JobContext,
  output: Output,
): Promise<Pick<PreparedJob, 'host' | 'readOnly'> | Ending> {
  const { job, files } = context;
  try {
    const { host, findings } = await makeJobWorkspace(context, { withIncluded: job.kind === 'attempt' });
    for (const finding of findings) output.write(Buffer.from(`[tidegate: ${describeWithFix(finding)}]\n`));
    const paths = isFenced(job) ? job.readOnly : [];
    return { host, readOnly: protectPaths(files, paths, host.agent.uid).binds };
  } catch (error) {
    if (error instanceof FenceUnavailable) return launchFailed(error.finding);
    const why = isEnvironmental(error) ? { because: failureOf(error) } : { words: boundedWords(messageOf(error)) };
    return launchFailed({ rule: 'workspace-not-made', ...why });
  }
}

/** Notes hosts that the relay refuses like any other denial. A job without an agent to watch has a transcript for them alone. */
function openDenials(
  { job, files, clock, notes, secrets }: JobContext & { readonly notes: Notes; readonly secrets: KnownSecrets },
  watch: AgentWatch | null,
): Disposable & { note(target: string, because: Finding): void } {
  const now = (): string => new Date(clock.wall()).toISOString();
  const hasRelay = typeof job.fence.network !== 'string' && isFenced(job);
  const own = watch === null && hasRelay ? openTranscript(files.path, secrets, { now, note: notes.add, usd: 0 }) : null;
  const emit = own?.tell ?? watch?.tell;
  return {
    note: (target, because) => emit?.({ type: 'denied', call: { ...networkCall, input: target }, because }),
    [Symbol.dispose]: () => own?.close(),
  };
}

const networkCall = { id: '', tool: 'network', kind: 'fetch', paths: [], command: null, lines: null } as const;

/** An agent that cannot log in is not launched: no workspace, no tokens. A variable that the plan passes by name may be a login too. */
function whyNotLoggedIn({ job, environment }: JobContext): Finding | null {
  if (job.agent?.login?.required !== true || job.fence.env.some((name) => environment[name])) return null;
  if (findProgram(job.agent.program, environment, (path) => path) === null) return null;
  const login = findLogin(job.agent, environment, agentUser(job.id));
  if (login.by === 'nothing') return login.because;
  const isUseless = login.by === 'file' && !isFenced(job);
  return isUseless ? { rule: 'login-needs-fence', program: job.agent.program } : null;
}

/** Starts an agent that exited with 0 and without a handoff once more, free of charge, to tell it how to hand off. */
async function remindIfSilent(prepared: PreparedJob, ending: Ending) {
  if (prepared.job.kind !== 'attempt' || prepared.stop.aborted) return null;
  if (ending.reason !== 'exited' || ending.code !== 0 || handoffOf(prepared).kind !== 'absent') return null;
  if (prepared.watch?.outcome() === 'failed') return null;
  const { closes } = prepared.job;
  const text = closes === undefined ? reminder : verdictReminder(closes);
  writeFileSync(prepared.runtime.brief, text);
  return await runAgent(prepared, text, { TIDEGATE_REMINDER: '1' });
}

function handoffOf({ job, channel, files, words }: PreparedJob): HandoffEvidence {
  if (job.kind !== 'attempt') return { kind: 'absent' };
  const handoff = chooseHandoff(channel.handoff(), readHandoffFile(files.workspace, job), job.closes);
  return handoff.kind === 'absent' && job.closes !== undefined ? markedHandoff(job.closes, job.nonce, words) : handoff;
}

/** The report of a role that left none by its commands but printed marker lines. */
function markedHandoff(role: ClosureRole, nonce: string, words: AgentWords): HandoffEvidence {
  const marked = reportInMarkers(role, displayed(Buffer.from(words.text())));
  if (marked === null) return { kind: 'absent' };
  const summary = marked.lines.join('\n').slice(0, 4000);
  const lists = { remaining: [], files: [], proofs: [], questions: [] };
  return { kind: 'given', via: 'marker', handoff: { status: 'done', summary, ...lists, nonce, report: marked.report } };
}

/** Directories that tools may write besides the workspace. Without a fence the home is the person's, not the agent's. */
function toolPlace({ job, files }: JobContext, host: Host): ToolPlace {
  const scratch = ['/tmp', '/var/tmp', ...job.fence.write];
  const { checkout } = job;
  return isFenced(job)
    ? { workspace: fencedWorkspace, home: host.home, writable: [...scratch, host.home], checkout }
    : { workspace: files.workspace, home: null, writable: scratch, checkout };
}

function record(output: Output, fields: Partial<ExitRecord> & Pick<ExitRecord, 'ending'>): ExitRecord {
  return {
    handoff: { kind: 'absent' },
    snapshot: null,
    snapshotProblem: null,
    reminded: false,
    chargedSeconds: 0,
    refusals: [],
    ...fields,
    log: output.close(),
    tail: output.shown(),
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
