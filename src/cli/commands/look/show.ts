import { hash } from 'node:crypto';
import { type AttemptId, attemptId, type TaskId } from '../../../domain/base/ids.ts';
import { present } from '../../../domain/base/result.ts';
import { safeLine } from '../../../domain/base/safe-text.ts';
import { plannedIn } from '../../../domain/derived/derived-tasks.ts';
import { leftOutTexts } from '../../../domain/derived/left-out.ts';
import { describeVerdict, explainVerdict } from '../../../domain/explain/explain.ts';
import { holdAdvice } from '../../../domain/explain/hold.ts';
import { needsOf } from '../../../domain/explain/needs.ts';
import { overrideOf, overrideText } from '../../../domain/explain/overrides.ts';
import { directiveText, sleepText } from '../../../domain/explain/text.ts';
import type { Verdict } from '../../../domain/gates/verdict.ts';
import { orchestratorId } from '../../../domain/orchestrator/orchestrator.ts';
import { settleLimits } from '../../../domain/run/settle-attempt.ts';
import { endedAttempt, handoffOf, snapshotOf, verdictsOf } from '../../../domain/run/task.ts';
import { asIntended, nextAttempt, promptOf } from '../../../engine/prompt/prompt.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { runDocument } from '../../../view/document.ts';
import { eventLine } from '../../../view/event-line.ts';
import { orchestratorDocument, orchestratorLines } from '../../../view/orchestrator-view.ts';
import { phaseTable } from '../../../view/phases.ts';
import { planView } from '../../../view/plan-view.ts';
import { landingNoteLines } from '../../../view/role-text.ts';
import { adviceLines, headLine, type RunView } from '../../../view/run-view.ts';
import { fileCount, taskWords } from '../../../view/task-view.ts';
import { aRunOrTask, command, done, failure, type Outcome, usageError } from '../../frame/command.ts';
import {
  orchestratorSubject,
  type RunSubject,
  resolveRun,
  resolveTask,
  showEach,
  type TaskSubject,
} from '../../frame/subject.ts';
import { viewOf } from './status.ts';

export const showCommand = command({
  name: 'show',
  group: 'look',
  summary: 'show everything about a run or a task',
  arguments: { subject: aRunOrTask },
  options: { prompt: { about: 'print the prompt that the agent of a task got, or would get now' } },
  looks: ({ subject, prompt }, repo) =>
    prompt ? showPrompt(repo, subject) : showEach(repo, subject, (typed) => showOne(typed, repo)),
});

async function showOne(typed: string | undefined, repo: RepositoryHandle): Promise<Outcome> {
  const guide = await orchestratorSubject(repo, 'show', typed);
  if (guide !== null) return guide.ok ? showOrchestrator(guide.value) : guide.error;
  const subject = await resolveRun(repo, 'show', typed, 'newest');
  if (!subject.ok) return subject.error;
  const view = await viewOf(repo, subject.value);
  if (view === null) throw new Error('a started run has a view');
  const { task } = subject.value;
  if (task === null)
    return done(
      [
        headLine(view),
        ...phaseTable(view.state),
        ...landingNoteLines(view.state),
        ...orchestratorLines(view.state),
        '',
        ...planView(view.state, [], { definitions: true }),
      ],
      { ...runDocument(view), frozen: view.state.plan },
    );
  const state = view.state.tasks[task];
  const { dispatched = null, monitored = null } = state === undefined ? {} : verdictsOf(state);
  return done(taskLines(view, task), {
    run: view.state.run,
    task: state,
    dispatched: dispatched?.map(explainVerdict) ?? null,
    monitored: monitored?.map(explainVerdict) ?? null,
    planned: plannedIn(view.state, task),
    ...present({ derived: view.state.derived?.[task] }),
  });
}

/** The resident orchestrator, and everything that it posted or was refused. */
function showOrchestrator({ run, state, stored }: RunSubject): Outcome {
  const noted = stored.flatMap(({ event }) => (event.type === 'orchestrator-noted' ? (eventLine(event) ?? []) : []));
  const log = state.orchestrator === undefined ? [] : [`its output: tidegate logs ${run}/${orchestratorId}`];
  return done([...orchestratorLines(state).slice(1), ...noted, ...log], {
    run,
    orchestrator: orchestratorDocument(state),
    planned: state.plan.orchestrator,
  });
}

function taskLines({ state }: RunView, id: TaskId): readonly Text[] {
  const task = state.tasks[id];
  const planned = plannedIn(state, id);
  if (task === undefined || planned === undefined) return [];
  const { word, detail } = taskWords(state, task);
  const derived = state.derived?.[id];
  const snapshot = snapshotOf(task);
  const sleep = sleepText(endedAttempt(task)?.slept ?? 0);
  const handoff = handoffOf(task);
  const { dispatched, monitored } = verdictsOf(task);
  const override = overrideOf(state, id);
  // a closure role has the advice of its barrier: it cannot be accepted or dropped
  const barrier = needsOf(state).find(({ kind, task: of }) => kind === 'barrier' && of === id);
  return [
    [{ text: `${state.run}/${id}`, tone: 'strong' }, ` ${word}${detail === '' ? '' : `: ${detail}`}`],
    `wave      ${task.wave + 1}`,
    `owns      ${planned.owns === null ? 'all that no other task owns' : planned.owns.join(' ') || 'nothing (read-only)'}`,
    ...(task.granted.length === 0 ? [] : [`granted   ${task.granted.join(' ')}`]),
    ...(planned.needs.length === 0 ? [] : [`needs     ${planned.needs.join(' ')}`]),
    ...(planned.command === null ? [] : [`command   ${planned.command.join(' ')}`]),
    ...(derived === undefined ? [] : [`for       ${derived.standsFor.join(' ')} (${derived.purpose})`]),
    `attempts  started ${task.launches === 1 ? 'once' : `${task.launches} times`}; ${task.charged} of ${settleLimits(state, task).attempts} count against its limit`,
    ...(sleep === null ? [] : [`slept     ${sleep}`]),
    ...(task.base === null ? [] : [`base      ${task.base.slice(0, 12)}`]),
    ...(snapshot === null ? [] : [`snapshot  ${snapshot.commit.slice(0, 12)}, ${fileCount(snapshot)}`]),
    ...(handoff === null ? [] : [`handoff   ${handoff.status}: ${safeLine(handoff.summary)}`]),
    ...(handoff?.remaining ?? []).map((text) => `remains   ${safeLine(text)}`),
    ...leftOutTexts(state, task).map((text) => `left out  ${safeLine(text)}`),
    ...(handoff?.questions ?? []).map((text) => `question  ${safeLine(text)}`),
    ...(override === null ? [] : overrideText(override)),
    ...(task.progress.status === 'held'
      ? ['', ...adviceLines(barrier ?? holdAdvice(state, task.progress.hold, `${state.run}/${id}`)), '']
      : []),
    ...verdictLines('dispatch', dispatched),
    ...verdictLines('monitor', monitored),
    '',
    ...directiveText(planned.directive, state.plan.forbid)
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`),
  ];
}

function verdictLines(phase: string, verdicts: readonly Verdict[] | null): readonly Text[] {
  return (verdicts ?? []).map((verdict): Text => {
    const text = verdict.outcome === 'pass' ? 'pass' : describeVerdict(verdict).join('; ');
    return [`${phase.padEnd(9)} ${verdict.gate}: `, { text, tone: verdict.outcome === 'pass' ? 'good' : 'bad' }];
  });
}

/** Prints the prompt and nothing else. */
async function showPrompt(repo: RepositoryHandle, typed: string | undefined): Promise<Outcome> {
  const subject = await resolveTask(repo, 'show', typed, 'newest');
  if (!subject.ok) return subject.error;
  const { run, task, state } = subject.value;
  const launches = state.tasks[task]?.launches ?? 0;
  if (launches > 0) return await promptOfAttempt(repo, subject.value, attemptId(run, task, launches));
  const attempt = nextAttempt(state, task);
  if (attempt === null) return usageError('no-prompt', `show: ${run}/${task} has had no attempt`);
  return promptOutcome(subject.value, await promptOf(repo.git, state, task, attempt), null);
}

/** Returns the stored prompt, or builds it again from the ledger. Either way its hash must be the recorded one. */
async function promptOfAttempt(repo: RepositoryHandle, subject: TaskSubject, attempt: AttemptId): Promise<Outcome> {
  const started = subject.stored.findLast(
    ({ event }) => event.type === 'attempt-started' && event.attempt === attempt,
  )?.event;
  const recorded = started?.type === 'attempt-started' ? started.prompt : undefined;
  const stored = await repo.files.readPrompt(attempt);
  const intended = asIntended(subject.stored, subject.state, attempt);
  const text = stored ?? (await promptOf(repo.git, intended.state, intended.task, intended.attempt));
  const isAuthentic = recorded === undefined ? stored !== null || started === undefined : sha256(text) === recorded;
  if (isAuthentic) return promptOutcome(subject, text, attempt);
  return failure('no-prompt', `show: the prompt of ${attempt} is gone, or was changed since`);
}

const promptOutcome = ({ run, task }: TaskSubject, prompt: string, attempt: AttemptId | null): Outcome =>
  done(prompt.trimEnd().split('\n'), { run, task, attempt, prompt, sha256: sha256(prompt) });

const sha256 = (text: string): string => hash('sha256', text, 'hex');
