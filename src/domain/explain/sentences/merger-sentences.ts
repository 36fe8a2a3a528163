import type { TaskId } from '../../base/ids.ts';
import type { FindingOf } from '../../findings/finding.ts';
import type {
  AttemptGap,
  CandidateGap,
  CheckGap,
  ComponentGap,
  DerivedGap,
  MergerRules,
  ObjectGap,
  PhaseGap,
  ProofGap,
  RoundGap,
  RunGap,
  TaskGap,
  TaskObjectGap,
  WaveGap,
} from '../../findings/merger-rules.ts';
import type { Sentences } from '../sentence.ts';
import { waveName } from '../text.ts';

export const mergerSentences: Sentences<MergerRules> = {
  'run-branch-unmade': () => 'the run branch does not exist yet',
  'run-branch-diverged': ({ expected, actual }) => ({
    detail: `diverged: the run branch is at ${actual}, but the ledger says ${expected}`,
    fix: 'tidegate why',
  }),
  'ref-exists': ({ ref, expected, actual }) => `diverged: ${ref} exists at ${actual} instead of ${expected}`,
  'ref-diverged': ({ ref, before, after, actual }) =>
    `diverged: ${ref} is at ${actual ?? 'nothing'}, neither at ${before} (before) nor at ${after} (after); nothing was moved`,
  'task-unplanned': ({ task }) => `the plan has no task ${task}`,
  'need-not-ready': ({ task, need }) => `${task} needs ${need}, which is not ready`,
  'needs-conflict': ({ task, need, files }) =>
    `the tasks that ${task} needs conflict: ${need} conflicts with the others in ${files.join(', ')}`,
  'no-snapshot': ({ task }) => `${task} has no snapshot`,
  'paths-unchanged': ({ task, paths }) => `${task} did not change ${paths.join(', ')}`,
  'edit-unchanged': ({ task }) => `${task} was not changed`,
  'edit-gone': () => 'the edited files no longer exist',
  'edit-unreadable': ({ because }, explain) => `the edited files cannot be accepted: ${explain(because).detail}`,
  'no-landing-conflict': () => 'this run has no landing conflict',
  'conflict-outdated': () => ({
    detail: 'the branch has moved, and the conflict has changed',
    fix: 'open it again: tidegate edit',
  }),
  'conflict-left': ({ files }) => `the conflict is not resolved in ${files.join(', ')}`,
  'landing-edit-unchanged': () => 'nothing was changed',
  'landing-edit-unasked': ({ commit }) => `nobody requested the edit in ${commit}`,
  'round-not-open': ({ wave, round }) => `round ${round + 1} of ${waveName(wave)} is not open`,
  'round-diverged': ({ base, expected, actual }) =>
    `diverged: the round starts at ${base}, the ledger says ${expected}, and the run branch is at ${actual}`,
  'round-unplanned': () => 'the round has a task that is not in the plan',
  'snapshot-unjudged': ({ task, snapshot }) => `${task} was never judged at snapshot ${snapshot}`,
  'merges-nothing': ({ task }) => `${task} is read-only and is never merged`,
  'task-merged': ({ task }) => `${task} is already merged`,
  'nothing-rebuilt': ({ wave, round }) => `round ${round + 1} of ${waveName(wave)} has no rebuilt files`,
  'rebuilt-elsewhere': ({ expected, actual }) => `files were rebuilt on ${actual} instead of ${expected}`,
  'candidate-empty': () => 'the candidate has no task',
  'matrix-unfit': (finding) => matrixFault(finding),
  'role-conflict': ({ task, files }) => `the changes of ${task} conflict with the candidate in ${files.join(', ')}`,
  'proof-broken': (finding) => `the ledger does not prove this merge: ${proofGapText(finding)}`,
  'objects-differ': (finding) => `the repository differs from the ledger: ${objectGapText(finding)}`,
};

/** Says where the chain of proof breaks. */
export function proofGapText(place: ProofGap): string {
  if ('task' in place) return taskGapText(place);
  if ('attempt' in place) return attemptGaps[place.gap](place.attempt);
  if ('phase' in place) return phaseGaps[place.gap](place.phase);
  if ('check' in place) return checkGaps[place.gap](place.check);
  if ('component' in place) return componentProofGaps[place.gap](place.component);
  if ('round' in place) return roundGaps[place.gap](place.round, place.wave);
  if ('wave' in place) return waveGaps[place.gap](place.wave);
  switch (place.gap) {
    case 'event-count':
      return `this round has ${place.count} ${place.event} events instead of one`;
    case 'round-base':
      return `the round starts at ${place.actual}, but the run branch is at ${place.expected}`;
    case 'generated-unsafe':
      return `${place.path} cannot be accepted (${place.refused})`;
    case 'generated-special':
      return `${place.path} is not a regular file`;
    case 'record-open':
      return `record ${place.record} of the board keeps the wave open`;
    default:
      return runGaps[place.gap];
  }
}

function taskGapText(place: Extract<ProofGap, { readonly task: TaskId }>): string {
  const { task } = place;
  switch (place.gap) {
    case 'task-wave':
      return `${task} is not a task of ${waveName(place.wave)}`;
    case 'task-snapshot':
      return `${task} was judged at ${place.actual} instead of ${place.expected}`;
    case 'task-voided':
      return `${task} was changed after it was judged (${place.event})`;
    default:
      return taskGaps[place.gap](task);
  }
}

const runGaps: Readonly<Record<RunGap, string>> = {
  'created-twice': 'the run was created more than once',
  'plan-hash': 'the frozen plan does not match its hash',
  'empty-ledger': 'the ledger is empty',
  'plan-replaced-by-nothing': 'the plan was replaced by an empty one',
  'round-plan': 'the round was opened under another version of the plan',
  'candidate-round': 'the candidate belongs to another round',
  'candidate-empty': 'the candidate has no task',
  'candidate-repeats': 'the candidate has a task twice',
  'generated-unplanned': 'the plan has no generated files, but the candidate does',
  'generated-unsnapshotted': 'the rebuilt files were not snapshotted',
  'generated-failed': 'the generated files could not be rebuilt',
  'generated-base': 'the generated files were rebuilt on another commit',
  'generated-order': 'the candidate was completed before its files were rebuilt',
  'generated-empty-commit': 'the candidate was completed by an empty commit',
  'approved-plan': 'another plan was approved',
  'approval-judged-plan': 'the approval was judged for another plan',
  'closure-early': 'closure was judged before the candidate was built',
  'closure-base': 'closure was judged on another base',
  'closure-candidate': 'closure was judged on another candidate',
  'closure-tree': 'closure was judged on another tree',
  'promotion-other': 'the promoted levels are not those of the plan',
  'promotion-order': 'components were promoted before the candidate was complete',
};

const waveGaps: Readonly<Record<WaveGap, (wave: number) => string>> = {
  'wave-unapproved': (wave) => `nobody approved ${waveName(wave)}`,
  'approval-unjudged': (wave) => `the approval of ${waveName(wave)} was never judged`,
  'approval-refused': (wave) => `${waveName(wave)} is not approved`,
};

const phaseGaps: Readonly<Record<PhaseGap, (phase: string) => string>> = {
  'phase-unjudged': (phase) => `${phase} was never judged`,
  'phase-failed': (phase) => `${phase} did not pass`,
  'phase-order': (phase) => `${phase} did not pass after the phase before it`,
};

const roundGaps: Readonly<Record<RoundGap, (round: number, wave: number) => string>> = {
  'round-abandoned': (round, wave) => `round ${round + 1} of ${waveName(wave)} was abandoned`,
  'closure-unjudged': (round) => `closure of round ${round + 1} was never judged`,
  'closure-failed': (round) => `closure of round ${round + 1} did not pass`,
};

const taskGaps: Readonly<Record<TaskGap | DerivedGap, (task: string) => string>> = {
  'task-not-in-round': (task) => `${task} is not in the round`,
  'task-unplanned': (task) => `the plan has no task ${task}`,
  'task-read-only': (task) => `${task} is read-only`,
  'task-merged': (task) => `${task} is already merged`,
  'task-unjudged': (task) => `${task} was never judged`,
  'task-failed': (task) => `${task} did not pass its gates`,
  'task-judged-late': (task) => `${task} was judged after the round was opened`,
  'task-unsnapshotted': (task) => `${task} has no snapshot`,
  'task-unstarted': (task) => `${task} was never started`,
  'task-other-attempt': (task) => `${task} was not judged by its last attempt`,
  'task-not-reused': (task) => `${task} was started under another version of the plan`,
  'task-fingerprint': (task) => `the result of ${task} was made from something else than it is reused for`,
  'task-relaunched': (task) => `a person selected ${task} to start again after this attempt`,
  'task-need-changed': (task) => `${task} was made from other work of a task that it needs`,
  'task-needs-gone': (task) => `the new plan keeps ${task}, but not the tasks that it needs`,
  'task-started-early': (task) => `${task} was started before it was approved`,
  'task-baseless': (task) => `${task} has no recorded base`,
  'task-other-base': (task) => `${task} did not start from its recorded base`,
  'task-snapshot-base': (task) => `the snapshot of ${task} does not have its recorded base`,
  'task-judged-early': (task) => `${task} was judged before it was dispatched and ended`,
  'task-blamed': (task) => `${task} broke a check`,
  'derived-unmade': (task) => `no decision made ${task}`,
  'derived-twice': (task) => `${task} is not the only task for its pair of snapshots`,
  'derived-for-other': (task) => `${task} was made for another task`,
  'derived-scope': (task) => `${task} is not within what the approved plan allows`,
  'derived-pair': (task) => `${task} was not made for the snapshot that is held`,
  'derived-uncompared': (task) => `the result of ${task} was not compared with both sides`,
  'task-other-ending': (task) => `${task} was not judged by its recorded ending`,
  'task-other-handoff': (task) => `${task} was not judged by its recorded handoff`,
  'task-other-draft': (task) => `${task} was not judged by its recorded plan draft`,
  'task-exit': (task) => `${task} did not exit with 0`,
  'task-handoff': (task) => `${task} has no handoff with the status done`,
  'task-nonce': (task) => `the handoff of ${task} belongs to another attempt`,
  'task-other-snapshot': (task) => `${task} was not judged by its recorded snapshot`,
  'task-acceptance-unrecorded': (task) => `nobody accepted this snapshot of ${task}`,
  'task-acceptance-unasked': (task) => `no person requested the acceptance of ${task}`,
  'task-claims': (task) => `the handoff of ${task} does not claim its exit contract`,
  'task-exit-unproven': (task) => `the exit contract of ${task} is not proven by the records`,
  'task-acceptance-other': (task) => `the acceptance of ${task} is for another snapshot or attempt`,
  'task-unproven': (task) => `no person has proven ${task} at this snapshot`,
  'role-unplanned': (task) => `${task} is not a closure role that may change files`,
  'role-unreported': (task) => `${task} has not reported on this tree`,
  'role-open': (task) => `the report of ${task} does not let the wave close`,
  'role-unjudged': (task) => `the report of ${task} has not passed its gates`,
  'role-other-attempt': (task) => `the report of ${task} is of another attempt`,
  'role-other-report': (task) => `the report of ${task} is not the one that it gave`,
  'role-other-tree': (task) => `${task} was started for another tree`,
  'closure-task': (task) => `closure did not judge ${task} at the round's snapshot`,
};

const attemptGaps: Readonly<Record<AttemptGap, (attempt: string) => string>> = {
  'dispatch-unjudged': (attempt) => `dispatch of ${attempt} was never judged`,
  'dispatch-failed': (attempt) => `dispatch of ${attempt} did not pass`,
  'dispatch-workspace': (attempt) => `the workspace of ${attempt} was created from another commit`,
  'attempt-open': (attempt) => `${attempt} never ended`,
};

const checkGaps: Readonly<Record<CheckGap, (check: string) => string>> = {
  'check-failed': (check) => `check ${check} did not pass on the candidate`,
  'check-unrecorded': (check) => `the ledger does not record that check ${check} passed on the candidate`,
};

/** Says where the repository and the ledger differ. */
function objectGapText(place: ObjectGap): string {
  switch (place.gap) {
    case 'path-unjudged':
      return `${place.task} changes ${place.path}, which was never judged`;
    case 'path-not-generated':
      return `the completed candidate changes ${place.path}, which is not generated`;
    case 'path-not-as-rebuilt':
      return `${place.path} differs from the rebuilt file`;
    default:
      return 'task' in place ? taskObjectGaps[place.gap](place.task) : candidateGaps[place.gap];
  }
}

const candidateGaps: Readonly<Record<CandidateGap, string>> = {
  'no-candidate': 'the candidate does not exist',
  'nothing-rebuilt': 'no files were rebuilt',
  'rebuilt-missing': 'the rebuilt files are not in the repository',
  'rebuilt-tree': 'the snapshot of the rebuilt files does not have its recorded tree',
  'rebuilt-parent': 'the snapshot of the rebuilt files is not one commit on the candidate',
  'completed-tree': 'the completed candidate does not have its recorded tree',
  'completed-parent': 'the completed candidate is not one commit on its last step',
  'promotion-undue': 'the matrix of components has levels that no task promotes',
  'promotion-missing': 'the commit with the new levels of components is missing',
  'promotion-parent': 'the commit with the new levels of components is not one commit on the candidate',
  'promotion-paths': 'the commit with the new levels of components changes other files',
  'promotion-levels': 'the matrix of components differs from the promoted levels',
};

const taskObjectGaps: Readonly<Record<TaskObjectGap, (task: string) => string>> = {
  'snapshot-unrecorded': (task) => `${task} has no snapshot`,
  'snapshot-missing': (task) => `the snapshot of ${task} is not in the repository`,
  'snapshot-tree': (task) => `the snapshot of ${task} does not have its recorded tree`,
  'snapshot-parent': (task) => `the snapshot of ${task} is not one commit on its recorded base`,
  'edit-paths': (task) => `the edited paths of ${task} are not the recorded ones`,
  'repair-base': (task) => `${task} did not start from both sides`,
  'repair-sides': (task) => `the result of ${task} does not compare with both sides as recorded`,
  'candidate-missing': (task) => `the candidate of ${task} is not in the repository`,
  'candidate-parent': (task) => `the candidate is not linear at ${task}`,
  'candidate-tree': (task) => `the candidate does not have its recorded tree at ${task}`,
};

const componentProofGaps: Readonly<Record<ComponentGap, (component: string) => string>> = {
  'component-owner': (component) => `an owner of ${component} has not passed its gates`,
  'component-claimed': (component) => `${component} was judged with other owners or another level`,
  'component-unproven': (component) => `no person has proven ${component} at this level`,
};

function matrixFault(finding: FindingOf<'matrix-unfit'>): string {
  const { file } = finding;
  switch (finding.fault) {
    case 'unreadable':
      return `${file} is not a matrix of components`;
    case 'unknown-component':
      return `${file} has no component ${finding.component}`;
    case 'component-current-level-stale':
      return `${finding.component} is at ${finding.level} in ${file}, so it cannot be promoted by one level`;
  }
}
