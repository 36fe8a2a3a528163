import { safeLine, shellPath } from '../domain/base/safe-text.ts';
import type { RecordChange } from '../domain/board/board.ts';
import { endName, type UnmetCause } from '../domain/dependencies/dependency.ts';
import { loginFix } from '../domain/explain/advice.ts';
import { reportText, worseText } from '../domain/explain/check-text.ts';
import {
  adviceText,
  describeFinding,
  describeRefusal,
  describeVerdict,
  explain,
  sentenceOf,
} from '../domain/explain/explain.ts';
import { checkOutcomes, few, plural, sleepText, waveName } from '../domain/explain/text.ts';
import type { CheckOutcome, Ending, ThreadEvidence } from '../domain/gates/evidence.ts';
import { passes } from '../domain/gates/verdict.ts';
import type { CheckPurpose, LedgerEvent, RunEvent } from '../domain/ledger/events.ts';
import { orchestratorId } from '../domain/orchestrator/orchestrator.ts';
import { isRatchet } from '../domain/plan/plan.ts';
import { isBound } from '../domain/run/bound-thread.ts';
import { money, troubleText } from './agent-lines.ts';
import { dcmLine } from './dcm-line.ts';
import { orchestratorEndText } from './orchestrator-view.ts';
import { fileCount, pauseText } from './task-view.ts';

/** One line per event for people who follow a run; null for bookkeeping. */
export function eventLine(event: LedgerEvent): string | null {
  const text = textOf(event);
  return text === null ? null : safeLine(text);
}

/** Describes the events of one ledger in order. Earlier events name the trees with the earlier check definitions, and the policies of checks. */
export function eventDescriber(): (event: LedgerEvent) => string | null {
  const earlier = new Set<string>();
  let compared: readonly string[] = [];
  return (event) => {
    if ('before' in event && typeof event.before === 'object') earlier.add(event.before.tree);
    if (event.type === 'run-created' || event.type === 'plan-replaced')
      compared = event.plan.checks.filter(isRatchet).map(({ name }) => name);
    if (event.type !== 'check-ended') return eventLine(event);
    const isRedBase =
      event.purpose === 'base' && event.check.outcome === 'failed' && compared.includes(event.check.name);
    return safeLine(
      `${checkedText(event, earlier.has(event.check.tree) ? ', with the earlier definition' : '')}${isRedBase ? '; work must not make it worse' : ''}`,
    );
  };
}

const checkedText = ({ check, purpose }: RunEvent & { readonly type: 'check-ended' }, definition = ''): string =>
  `check ${check.name} ${checkedTrees[purpose]}${definition}: ${checkOutcomes[check.outcome]}${reportText(check)}`;

const checkedTrees: Readonly<Record<CheckPurpose, string>> = {
  base: 'on the base',
  snapshot: 'on the snapshot',
  candidate: 'on the candidate',
  land: 'after the rebuild',
  undo: 'after the revert',
};

/** May contain line breaks from text of others. */
function textOf(event: LedgerEvent): string | null {
  switch (event.type) {
    case 'run-created':
      return `${event.run}: plan ${event.hash.slice(0, 12)} from ${event.planFile}, onto ${event.target.branch}${event.plan.checks.length === 0 ? '; the plan has no checks' : ''}`;
    case 'plan-replaced':
      return `plan replaced with ${event.hash.slice(0, 12)} by ${event.by.who}`;
    case 'phase-judged':
      return judgedLine(event);
    case 'tap-opened':
      return event.tap === 'land' ? 'land: waiting for a person' : 'approve: waiting for a person';
    case 'tap-decided':
      return `${event.tap === 'land' ? 'land' : 'approve'}: ${event.decision} by ${event.by.who} (${event.by.via})`;
    case 'attempt-intended':
      return event.number > 1 ? `${event.task}: attempt ${event.number}` : null;
    case 'attempt-started':
      return `${event.task}: started`;
    case 'attempt-ended':
      return `${event.task}: ${endedText(event)}`;
    case 'task-held':
      return `${event.task}: held: ${heldText(event.hold)}`;
    case 'task-granted':
      return `${event.task}: granted ${event.paths.join(' ')} by ${event.by.who}`;
    case 'task-dropped':
      return `${event.task}: dropped by ${event.by.who}`;
    case 'paths-dropped':
      return `${event.task}: changes to ${event.paths.join(' ')} dropped by ${event.by.who}`;
    case 'kept-discarded':
      return `${event.task}: ${event.kept.map(({ path }) => path).join(' ')} discarded by ${event.by.who}`;
    case 'task-accepted':
      return `${event.task}: snapshot ${event.snapshot.slice(0, 8)} accepted by ${event.by.who}`;
    case 'task-edited':
      return `${event.task}: edited by ${event.by.who}: ${event.paths.join(' ')} (${event.from.slice(0, 8)} to ${event.snapshot.commit.slice(0, 8)})`;
    case 'attempt-noted':
      return notedLine(event);
    case 'orchestrator-started':
      return 'orchestrator: started';
    case 'orchestrator-noted':
      return event.refused === undefined
        ? notedLine({ ...event, type: 'attempt-noted', task: orchestratorId })
        : `orchestrator: refused: ${explain(event.refused).detail}`;
    case 'orchestrator-ended':
      return `orchestrator: ended: ${orchestratorEndText(event.ending)}`;
    case 'message-sent':
      return `${event.task}: ${event.by.who} says: ${event.message}`;
    case 'record-posted':
      return `${event.by.who} posts a ${event.kind} to ${event.target}: ${event.text}`;
    case 'record-answered':
      return `${event.by.who} answers record ${event.record}: ${event.text}`;
    case 'record-closed':
      return `${event.by.who} closes record ${event.record}`;
    case 'helper-assigned':
      return `${event.task}: starts again for ${event.records.length === 1 ? 'record' : 'records'} ${event.records.join(', ')}`;
    case 'records-overdue':
      return `overdue: ${event.records.map(({ record, clock }) => `record ${record} (${clockNames[clock]})`).join(', ')}`;
    case 'record-changed':
      return changeLine(event.by.who, event);
    case 'agent-chosen':
      return `${event.task}: agent changed to ${event.agent} by ${event.by.who}`;
    case 'budget-raised':
      return `${event.task ?? 'the run'}: budget raised by ${money(event.usd)}, by ${event.by.who}`;
    case 'budget-near':
      return `${event.task ?? 'the run'}: ${money(event.used)} of ${money(event.limit)} used`;
    case 'provider-paused':
      return `${event.provider} is paused${pauseText(event.until)}: ${troubleText(event.trouble)}${loginText(event)}`;
    case 'provider-resumed':
      return `${event.provider} is no longer paused`;
    case 'task-retried':
      return `${event.task}: ${event.by.via === 'policy' ? 'retried automatically' : `retry requested by ${event.by.who}`}`;
    case 'wave-relaunched':
      return `${waveName(event.wave)}: ${relaunchText(event)}, by ${event.by.who}`;
    case 'task-continued':
      return `${event.task}: continues at no cost, because only ${event.components.join(', ')} keeps the wave open`;
    case 'task-reworked':
      return `${event.task}: rework requested by ${event.by.who}`;
    case 'check-ended':
      return checkedText(event);
    case 'candidate-built':
      return `${waveName(event.wave)}: ${plural(event.steps.length, 'task')} integrated${conflictText(event)}`;
    case 'generator-ended':
      return `${waveName(event.wave)}: generated files: ${endingText(event.ending)}`;
    case 'candidate-completed':
      return `${waveName(event.wave)}: generated files are up to date`;
    case 'role-opened':
      return `${event.task}: opened for the tree ${event.tree.slice(0, 8)}${event.by === undefined ? '' : `, by ${event.by.who}`}`;
    case 'candidate-extended':
      return `${waveName(event.wave)}: changes of ${event.task} added`;
    case 'components-promoted':
      return `${waveName(event.wave)}: ${Object.entries(event.levels)
        .map(([component, level]) => `${component} reaches ${level}`)
        .join(', ')}`;
    case 'proof-registered':
      return `${event.task}: ${event.level} proof ${event.bundle} by ${event.by.who}: ${event.attestation}`;
    case 'proof-revoked':
      return `proof ${event.bundle} revoked by ${event.by.who}: ${event.reason}`;
    case 'dependency-added':
      return `dependency ${event.dependency}${event.branch === undefined ? '' : ` of the branch ${event.branch}`} on ${endName(event.on)}${event.required ? '' : ' (optional)'} added by ${event.by.who}: ${event.text}`;
    case 'dependency-owed':
      return `${endName(event.of)} depends on it (${event.dependency}): ${event.text}`;
    case 'dependency-unmet':
      return `dependency ${event.dependency} needs a person: ${unmetCauseText(event.because)}`;
    case 'dependency-resolved':
      return `dependency ${event.dependency} resolved${event.landed === undefined ? ` by ${event.by.who}: ${event.reason ?? ''}` : `: ${endName(event.landed)} has landed on ${event.landed.branch}`}`;
    case 'dependency-cancelled':
      return `dependency ${event.dependency} cancelled by ${event.by.who}: ${event.reason}`;
    case 'barrier-resolved':
      return `${waveName(event.wave)}: ${event.barrier} resolved by ${event.by.who}: ${event.reason}`;
    case 'task-derived':
      return `${event.task}: made to ${derivedText(event)}`;
    case 'culprit-found':
      return `${event.task}: breaks the check ${event.check}${worseText(event.worse)}`;
    case 'merged':
      return `${waveName(event.wave)}: merged ${event.tasks.map(({ task, by }) => (by === undefined ? task : `${task} (by ${by})`)).join(', ')}`;
    case 'round-abandoned':
      return `${waveName(event.wave)}: integration abandoned: ${explain(event.because).detail}${event.suspects === undefined ? '' : '; trying fewer tasks'}`;
    case 'wave-closed':
      return `${waveName(event.wave)}: closed`;
    case 'landing-rebuilt':
      if (event.asMerged === true)
        return `land: comparing the check definitions with those of ${event.onto.slice(0, 8)}; running the checks`;
      return event.tasks === undefined
        ? `land: rebuilt on ${event.onto.slice(0, 8)}, the current tip of the branch; running the checks${reportsText(event)}`
        : `land: rebuilt with only ${event.tasks.join(', ')} on ${event.onto.slice(0, 8)}; running the checks${reportsText(event)}`;
    case 'landing-edited':
      return `land: conflict in ${event.paths.join(' ')} resolved by ${event.by.who} (${event.from.slice(0, 8)} to ${event.snapshot.slice(0, 8)})`;
    case 'landed':
      return `land: ${event.branch} is at ${event.new.slice(0, 8)}${event.tasks === undefined ? '' : `, with ${event.tasks.join(', ')}`}`;
    case 'landing-refused':
      return `land: refused: ${explain(event.because).detail}`;
    case 'branch-made':
      return `land: created ${event.branch} at ${event.new.slice(0, 8)}`;
    case 'pushed':
      return `land: pushed ${event.branch} to ${event.remote}`;
    case 'pull-request-opened':
      return `land: pull request ${event.url}`;
    case 'pull-request-landed':
      return `land: ${event.branch} contains it at ${event.commit.slice(0, 8)}`;
    case 'undo-prepared':
      return `undo: prepared commits that revert ${event.task ?? 'the run'} on ${event.onto.slice(0, 8)}; running the checks`;
    case 'undone':
      return `undo: ${event.branch} is at ${event.new.slice(0, 8)}${event.exact ? ', exactly as before' : ''}`;
    case 'undo-refused':
      return `undo: refused: ${describeRefusal(event.because)}`;
    case 'run-paused':
    case 'run-resumed':
    case 'run-stopped':
    case 'run-abandoned':
      return `${event.type.slice(4)} by ${event.by.who}`;
    case 'run-halted':
      return haltedLine(event);
    case 'starts-suspended':
      return `no more tasks start: ${describeRefusal(event.because)}`;
    case 'starts-allowed':
      return 'there is room again; tasks start again';
    case 'run-ended':
      return `ended: ${event.outcome}`;
    case 'request-refused':
      return `refused: ${describeRefusal(event.because)}`;
    case 'external-wave-created':
    case 'external-wave-started':
    case 'external-wave-ended':
    case 'external-batch-submitted':
    case 'external-subtask-updated':
    case 'external-action-recorded':
    case 'external-batch-completed':
      return dcmLine(event);
    default:
      return null;
  }
}

function derivedText({ standsFor, inputs }: RunEvent & { readonly type: 'task-derived' }): string {
  const tasks = standsFor.join(', ');
  return inputs.check === undefined
    ? `resolve the conflict of ${tasks} in ${inputs.paths.join(', ')}`
    : `repair ${tasks}, which breaks the check ${inputs.check}`;
}

function heldText(hold: (RunEvent & { readonly type: 'task-held' })['hold']): string {
  switch (hold.because) {
    case 'conflict':
      return `conflicts with other work in ${hold.files.join(', ')}`;
    case 'check':
      return hold.defined === undefined
        ? `breaks the check ${hold.check}`
        : `passes the check ${hold.check} only with its own change to ${hold.defined.changes.map(({ path }) => path).join(', ')}`;
    case 'needs':
      return `builds on ${hold.task}, which is held`;
  }
}

function notedLine(event: RunEvent & { readonly type: 'attempt-noted' }): string | null {
  const { task, attempt, note, changes = [], refused } = event;
  switch (note.note) {
    case 'denied':
      return `${task}: denied ${note.tool}: ${explain(note.because).detail}`;
    case 'asked':
      return `${task}: requests access to ${note.paths.join(' ')}${note.why === '' ? '' : `: ${note.why}`}; tidegate grant ${attempt.split('.')[0]}/${task} ${note.paths.map(shellPath).join(' ')}`;
    case 'posted':
      if (refused !== undefined) return `${task}: refused: ${explain(refused).detail}`;
      if (note.kind === 'orchestrator-guidance') return `${task}: posts guidance to ${note.target}: ${note.text}`;
      return `${task}: posts a ${note.severity === 'critical' ? 'critical ' : ''}${note.kind} to ${note.target}: ${note.text}`;
    case 'acted':
      if (refused !== undefined) return `${task}: refused: ${explain(refused).detail}`;
      return changes.map((change) => changeLine(task, change)).join('; ');
    case 'trouble':
      // the event does not name the provider; that command checks all of them
      return `${task}: ${troubleText(note.trouble)}${note.trouble.kind === 'needs-login' ? '; tidegate auth --check' : ''}`;
    case 'turns-near':
      return `${task}: ${note.turns} of ${note.limit} turns used`;
    case 'tripped':
      return `${task}: the agent is looping (${note.trip.pattern})`;
    case 'started':
    case 'heard':
    case 'usage':
      return null;
  }
}

const clockNames = { acknowledge: 'not acknowledged', stale: 'not settled', answer: 'not answered' } as const;

function changeLine(who: string, { record, act, status, answer, reason, to }: RecordChange): string {
  const done = to === undefined ? `${act}: record ${record} is ${status}` : `record ${record} is for ${to} now`;
  const words = answer ?? reason;
  return `${who}: ${done}${words === undefined ? '' : `: ${words}`}`;
}

function haltedLine({ because }: RunEvent & { readonly type: 'run-halted' }): string {
  const { detail, ...advice } = sentenceOf(because);
  return `halted: ${detail}; ${adviceText({ command: 'tidegate resume', ...advice })}`;
}

/** The provider's message does not say how to log in here. */
function loginText({ provider, trouble }: RunEvent & { readonly type: 'provider-paused' }): string {
  const login = trouble.kind === 'needs-login' ? loginFix(provider) : null;
  return login === null ? '' : `; ${adviceText({ fix: login, command: 'tidegate resume' })}`;
}

/** A failed phase says why; of those that passed, only the milestones are shown. */
function judgedLine(event: RunEvent & { readonly type: 'phase-judged' }): string | null {
  const subject = 'task' in event ? event.task : event.phase;
  if (!passes(event.verdicts)) return `${subject}: did not pass: ${event.verdicts.flatMap(describeVerdict).join('; ')}`;
  if (event.phase === 'thread') return threadLine(event.wave, event.evidence);
  if (event.phase === 'ownership') return `check: ${waveName(event.wave)} is ready for approval`;
  if (event.phase === 'closure')
    return event.evidence.checks.length === 0
      ? `verify: ${waveName(event.wave)} merges cleanly; the plan has no checks`
      : `verify: ${waveName(event.wave)} ${redText(event.evidence.checks)}`;
  if (event.phase !== 'monitor') return null;
  const { handoff } = event.evidence;
  const report = handoff.kind === 'given' ? handoff.handoff.report : undefined;
  return `${event.task}: ${report === undefined ? 'ready' : `reported ${report.word}`}`;
}

/** Checks that are red let a candidate pass only if they are no worse than before, or by a person's decision. */
function redText(checks: readonly CheckOutcome[]): string {
  const red = checks.filter(({ outcome }) => outcome !== 'passed');
  if (red.length === 0) return 'passed all checks';
  return `is no worse than the base; still red: ${red.map((check) => `${check.name}${reportText(check)}`).join(', ')}`;
}

/** Null for the built-in board, unless it replaces a thread that failed. */
function threadLine(wave: number, evidence: ThreadEvidence): string | null {
  const { board, id, failed = [] } = evidence;
  if (!isBound(evidence) && failed.length === 0) return null;
  const before = failed.map(({ way, because }) => `${way}: ${describeFinding(because)}`).join('; ');
  return `thread: ${waveName(wave)} uses ${id} (${board})${before === '' ? '' : `; ${before}`}`;
}

function endedText(event: RunEvent & { readonly type: 'attempt-ended' }): string {
  const { ending, handoff, snapshot, sleptSeconds = 0 } = event;
  const slept = sleepText(sleptSeconds);
  const status = handoff.kind === 'given' ? handoff.handoff.status : handoff.kind;
  return `${endingText(ending)}, handoff ${status}, ${snapshot === null ? 'no snapshot' : fileCount(snapshot)}${slept === null ? '' : `; ${slept}`}`;
}

export const endingText = ({ reason, code, signal }: Ending): string =>
  reason === 'exited' ? `exit ${code ?? signal}` : reason;

function unmetCauseText(because: UnmetCause): string {
  if (because === 'dropped') return 'its task was dropped';
  return because === 'undone' ? 'the landing of the other run was undone' : `the other run has ended (${because})`;
}

/** The tasks and roles that a person selected. */
function relaunchText({ starts, reuses, roles }: RunEvent & { readonly type: 'wave-relaunched' }): string {
  const again = [...starts.map(({ task }) => task), ...roles];
  const reused = reuses.map(({ task }) => task);
  return [
    ...(again.length === 0 ? [] : [`${again.join(', ')} selected to run again`]),
    ...(reused.length === 0 ? [] : [`results of ${reused.join(', ')} reused`]),
  ].join('; ');
}

const conflictText = ({ conflicts }: RunEvent & { readonly type: 'candidate-built' }): string =>
  conflicts.map(({ task, files }) => `; ${task} conflicts in ${files.join(', ')}`).join('');

/** Tells whether closure roles judge a rebuilt landing again. Empty for a run without them. */
function reportsText({ unjudged = [], reported }: Extract<LedgerEvent, { type: 'landing-rebuilt' }>): string {
  if (unjudged.length > 0) return `; closure roles judge it again because of ${few(unjudged)}`;
  return reported === undefined ? '' : `; reports of closure roles carried from the tree ${reported.slice(0, 8)}`;
}
