import type { TaskId } from '../../domain/base/ids.ts';
import { safeLine } from '../../domain/base/safe-text.ts';
import { directiveText } from '../../domain/explain/clauses.ts';
import { describeVerdict, explainVerdict } from '../../domain/explain/explain.ts';
import { toldOfHold } from '../../domain/explain/hold.ts';
import { toldOfSleep } from '../../domain/explain/machine.ts';
import type { Verdict } from '../../domain/gates/verdict.ts';
import { plannedById } from '../../domain/plan/plan.ts';
import { endedAttempt, handoffOf, snapshotOf, verdictsOf } from '../../domain/run/task.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { runDocument } from '../../view/document.ts';
import { phaseTable } from '../../view/phases.ts';
import { planView } from '../../view/plan-view.ts';
import { headLine, type RunView, toldLines } from '../../view/run-view.ts';
import { files, taskWords } from '../../view/task-line.ts';
import { done, type Outcome } from '../frame/command.ts';
import { runNamed, showEach } from '../frame/subject.ts';
import { showPrompt } from './show-prompt.ts';
import { viewOf } from './status.ts';

/** `tidegate show [run[/task]]`: all that is known of a run and its plan, or of one task. */
export const showSubject = (
  { subject, prompt }: { readonly subject: string | undefined; readonly prompt: boolean },
  repo: RepositoryHandle,
): Promise<Outcome> => (prompt ? showPrompt(repo, subject) : showEach(repo, subject, (given) => showOne(given, repo)));

async function showOne(given: string | undefined, repo: RepositoryHandle): Promise<Outcome> {
  const found = await runNamed(repo, 'show', given, 'newest');
  if (!found.ok) return found.error;
  const view = viewOf(repo, found.value);
  if (view === null) throw new Error('a made run has a view');
  const { task } = found.value;
  if (task === null)
    return done([headLine(view), ...phaseTable(view.state), '', ...planView(view.state, [], { definitions: true })], {
      ...runDocument(view),
      frozen: view.state.plan,
    });
  const state = view.state.tasks[task];
  const { dispatched = null, monitored = null } = state === undefined ? {} : verdictsOf(state);
  return done(taskLines(view, task), {
    run: view.state.run,
    task: state,
    dispatched: dispatched?.map(explainVerdict) ?? null,
    monitored: monitored?.map(explainVerdict) ?? null,
    planned: plannedById(view.state.plan, task),
  });
}

function taskLines({ state }: RunView, id: TaskId): readonly Text[] {
  const task = state.tasks[id];
  const planned = plannedById(state.plan, id);
  if (task === undefined || planned === undefined) return [];
  const { word, detail } = taskWords(state, task);
  const snapshot = snapshotOf(task);
  const slept = toldOfSleep(endedAttempt(task)?.slept ?? 0);
  const handoff = handoffOf(task);
  const { dispatched, monitored } = verdictsOf(task);
  return [
    [{ text: `${state.run}/${id}`, tone: 'strong' }, ` ${word}${detail === '' ? '' : `: ${detail}`}`],
    `wave      ${task.wave}`,
    `owns      ${planned.owns === null ? 'what no other task claims' : planned.owns.join(' ') || 'nothing (read-only)'}`,
    ...(task.granted.length === 0 ? [] : [`granted   ${task.granted.join(' ')}`]),
    ...(planned.needs.length === 0 ? [] : [`needs     ${planned.needs.join(' ')}`]),
    ...(planned.command === null ? [] : [`command   ${planned.command.join(' ')}`]),
    `attempts  ${task.launches} started; ${task.charged} of ${state.plan.limits.attempts} used up`,
    ...(slept === null ? [] : [`slept     ${slept}`]),
    ...(task.base === null ? [] : [`base      ${task.base.slice(0, 12)}`]),
    ...(snapshot === null ? [] : [`snapshot  ${snapshot.commit.slice(0, 12)}, ${files(snapshot.diff.length)}`]),
    ...(handoff === null ? [] : [`handoff   ${handoff.status}: ${safeLine(handoff.summary)}`]),
    ...(handoff?.remaining ?? []).map((text) => `remains   ${safeLine(text)}`),
    ...(handoff?.questions ?? []).map((text) => `question  ${safeLine(text)}`),
    ...(task.progress.status === 'held'
      ? ['', ...toldLines(toldOfHold(state, task.progress.hold, `${state.run}/${id}`)), '']
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
    const said = verdict.outcome === 'pass' ? 'pass' : describeVerdict(verdict).join('; ');
    return [`${phase.padEnd(9)} ${verdict.gate}: `, { text: said, tone: verdict.outcome === 'pass' ? 'good' : 'bad' }];
  });
}
