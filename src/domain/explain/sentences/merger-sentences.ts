import type { TaskId } from '../../base/ids.ts';
import type {
  AttemptGap,
  CandidateGap,
  CheckGap,
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

export const mergerSentences: Sentences<MergerRules> = {
  'run-branch-unmade': () => 'the run branch does not exist yet',
  'run-branch-diverged': ({ expected, actual }) => ({
    detail: `diverged: the run branch is at ${actual}, the ledger says ${expected}`,
    fix: 'tidegate why',
  }),
  'ref-exists': ({ ref, expected, actual }) => `diverged: ${ref} exists at ${actual} instead of ${expected}`,
  'ref-diverged': ({ ref, before, after, actual }) =>
    `diverged: ${ref} is at ${actual ?? 'nothing'}, neither at ${before} (before) nor at ${after} (after); nothing was moved`,
  'task-unplanned': ({ task }) => `the plan has no task ${task}`,
  'need-not-ready': ({ task, need }) => `${task} needs ${need}, which is not ready`,
  'needs-conflict': ({ task, need, files }) =>
    `what ${task} needs does not fit together: ${need} conflicts with the rest in ${files.join(', ')}`,
  'no-snapshot': ({ task }) => `${task} has no snapshot`,
  'paths-unchanged': ({ task, paths }) => `${task} did not change ${paths.join(', ')}`,
  'edit-unchanged': ({ task }) => `nothing in ${task} was changed`,
  'edit-gone': () => 'the files that were edited are gone',
  'edit-unreadable': ({ because }, explain) => `the files that were edited cannot be taken: ${explain(because).detail}`,
  'no-landing-conflict': () => 'no landing of this run conflicts with the branch',
  'conflict-outdated': () => ({
    detail: 'the branch has moved since, and the conflict is another one now',
    fix: 'open it again with `tidegate edit`',
  }),
  'conflict-left': ({ files }) => `the conflict is not settled in ${files.join(', ')}`,
  'landing-edit-unchanged': () => 'nothing was changed',
  'landing-edit-unasked': ({ commit }) => `nobody asked for the edit that made ${commit}`,
  'round-not-open': ({ wave, round }) => `round ${round} of wave ${wave} is not open`,
  'round-diverged': ({ base, expected, actual }) =>
    `diverged: the round starts at ${base}, the ledger says ${expected}, the run branch is at ${actual}`,
  'round-unplanned': () => 'the round names a task that the plan does not have',
  'snapshot-unjudged': ({ task, snapshot }) => `${task} was never judged at snapshot ${snapshot}`,
  'merges-nothing': ({ task }) => `${task} is read-only and is never merged`,
  'task-merged': ({ task }) => `${task} is merged already`,
  'nothing-rebuilt': ({ wave, round }) => `round ${round} of wave ${wave} has no rebuilt files`,
  'rebuilt-elsewhere': ({ expected, actual }) => `files were rebuilt on ${actual}, not on ${expected}`,
  'candidate-empty': () => 'the candidate holds no task',
  'proof-broken': (finding) => `the ledger does not prove this merge: ${proofGapText(finding)}`,
  'objects-differ': (finding) => `the repository does not hold what the ledger says: ${objectGapText(finding)}`,
};

/** Where the chain of proof breaks, in words. */
export function proofGapText(found: ProofGap): string {
  if ('task' in found) return taskGapText(found);
  if ('attempt' in found) return attemptGaps[found.gap](found.attempt);
  if ('phase' in found) return phaseGaps[found.gap](found.phase);
  if ('check' in found) return checkGaps[found.gap](found.check);
  if ('round' in found) return roundGaps[found.gap](found.round, found.wave);
  if ('wave' in found) return waveGaps[found.gap](found.wave);
  switch (found.gap) {
    case 'event-count':
      return `there are ${found.count} ${found.event} events of this round instead of one`;
    case 'round-base':
      return `the round starts at ${found.actual}, the run branch at ${found.expected}`;
    case 'generated-unsafe':
      return `${found.path} cannot be taken (${found.refused})`;
    case 'generated-special':
      return `${found.path} is not a plain file`;
    default:
      return runGaps[found.gap];
  }
}

function taskGapText(found: Extract<ProofGap, { readonly task: TaskId }>): string {
  const { task } = found;
  switch (found.gap) {
    case 'task-wave':
      return `${task} is not a task of wave ${found.wave}`;
    case 'task-snapshot':
      return `${task} was judged at ${found.actual}, not at ${found.expected}`;
    case 'task-voided':
      return `${task} was changed after it was judged (${found.event})`;
    default:
      return taskGaps[found.gap](task);
  }
}

const runGaps: Readonly<Record<RunGap, string>> = {
  'created-twice': 'the run was created more than once',
  'plan-hash': 'the frozen plan does not have its hash',
  'empty-ledger': 'the ledger is empty',
  'plan-replaced-by-nothing': 'the plan was replaced by nothing',
  'round-plan': 'the round was opened under another version of the plan',
  'candidate-round': 'the candidate is of another round',
  'candidate-empty': 'the candidate holds no task',
  'candidate-repeats': 'a task is twice in the candidate',
  'generated-unplanned': 'the plan has no generated files, but the candidate does',
  'generated-unsnapshotted': 'the rebuilt files were not snapshotted',
  'generated-failed': 'the generated files could not be rebuilt',
  'generated-base': 'the generated files were rebuilt on another commit',
  'generated-order': 'the candidate was completed before its files were rebuilt',
  'generated-empty-commit': 'the candidate was completed by a commit of no change',
  'approved-plan': 'another plan was approved',
  'approval-judged-plan': 'approval was judged for another plan',
  'closure-early': 'closure was judged before the candidate was built',
  'closure-base': 'closure was judged on another base',
  'closure-candidate': 'closure was judged on another candidate',
  'closure-tree': 'closure was judged on another tree',
};

const waveGaps: Readonly<Record<WaveGap, (wave: number) => string>> = {
  'wave-unapproved': (wave) => `nobody approved wave ${wave}`,
  'approval-unjudged': (wave) => `approval of wave ${wave} was never judged`,
  'approval-refused': (wave) => `wave ${wave} is not approved`,
};

const phaseGaps: Readonly<Record<PhaseGap, (phase: string) => string>> = {
  'phase-unjudged': (phase) => `${phase} was never judged`,
  'phase-failed': (phase) => `${phase} did not pass`,
  'phase-order': (phase) => `${phase} did not pass after the phase before it`,
};

const roundGaps: Readonly<Record<RoundGap, (round: number, wave: number) => string>> = {
  'round-abandoned': (round, wave) => `round ${round} of wave ${wave} was abandoned`,
  'closure-unjudged': (round) => `closure of round ${round} was never judged`,
  'closure-failed': (round) => `closure of round ${round} did not pass`,
};

const taskGaps: Readonly<Record<TaskGap, (task: string) => string>> = {
  'task-not-in-round': (task) => `${task} is not in the round`,
  'task-unplanned': (task) => `the plan has no task ${task}`,
  'task-read-only': (task) => `${task} is read-only`,
  'task-merged': (task) => `${task} is merged already`,
  'task-unjudged': (task) => `${task} was never judged`,
  'task-failed': (task) => `${task} did not pass its gates`,
  'task-judged-late': (task) => `${task} was judged after the round was opened`,
  'task-unsnapshotted': (task) => `${task} has no snapshot`,
  'task-unstarted': (task) => `${task} was never started`,
  'task-other-attempt': (task) => `${task} was judged by another attempt than its last`,
  'task-not-reused': (task) => `${task} was started under another version of the plan`,
  'task-needs-gone': (task) => `the new plan takes over ${task}, but not what it needs`,
  'task-started-early': (task) => `${task} was started before it was approved`,
  'task-baseless': (task) => `${task} has no recorded base`,
  'task-other-base': (task) => `${task} was started from another base than the recorded one`,
  'task-snapshot-base': (task) => `the snapshot of ${task} is of another base than the recorded one`,
  'task-judged-early': (task) => `${task} was judged before it was dispatched and ended`,
  'task-blamed': (task) => `${task} broke a check`,
  'task-other-ending': (task) => `${task} was judged by another ending than the recorded one`,
  'task-other-handoff': (task) => `${task} was judged by another handoff than the recorded one`,
  'task-other-draft': (task) => `${task} was judged by another reading of its plan`,
  'task-exit': (task) => `${task} did not exit with 0`,
  'task-handoff': (task) => `${task} left no handoff that says done`,
  'task-nonce': (task) => `the handoff of ${task} is of another attempt`,
  'task-other-snapshot': (task) => `${task} was judged by another snapshot than the recorded one`,
  'task-acceptance-unrecorded': (task) => `nobody took this snapshot of ${task}`,
  'task-acceptance-unasked': (task) => `the acceptance of ${task} was not asked for by a person`,
  'task-acceptance-other': (task) => `the acceptance of ${task} is of another snapshot or attempt`,
  'closure-task': (task) => `closure did not judge ${task} at the snapshot of the round`,
};

const attemptGaps: Readonly<Record<AttemptGap, (attempt: string) => string>> = {
  'dispatch-unjudged': (attempt) => `dispatch of ${attempt} was never judged`,
  'dispatch-failed': (attempt) => `dispatch of ${attempt} did not pass`,
  'dispatch-workspace': (attempt) => `the workspace of ${attempt} was made from another commit`,
  'attempt-open': (attempt) => `${attempt} never ended`,
};

const checkGaps: Readonly<Record<CheckGap, (check: string) => string>> = {
  'check-failed': (check) => `check ${check} did not pass on the candidate`,
  'check-unrecorded': (check) => `no record of check ${check} passing on the candidate`,
};

/** Where the repository and the ledger differ, in words. */
export function objectGapText(found: ObjectGap): string {
  switch (found.gap) {
    case 'path-unjudged':
      return `${found.task} changes ${found.path}, which was never judged`;
    case 'path-not-generated':
      return `the completed candidate changes ${found.path}, which is not generated`;
    case 'path-not-as-rebuilt':
      return `${found.path} is not as it was rebuilt`;
    default:
      return 'task' in found ? taskObjectGaps[found.gap](found.task) : candidateGaps[found.gap];
  }
}

const candidateGaps: Readonly<Record<CandidateGap, string>> = {
  'no-candidate': 'there is no candidate',
  'nothing-rebuilt': 'there are no rebuilt files',
  'rebuilt-missing': 'the rebuilt files are not in the repository',
  'rebuilt-tree': 'the snapshot of the rebuilt files has another tree than the recorded one',
  'rebuilt-parent': 'the snapshot of the rebuilt files is not one commit on the candidate',
  'completed-tree': 'the completed candidate has another tree than the recorded one',
  'completed-parent': 'the completed candidate is not one commit on its last step',
};

const taskObjectGaps: Readonly<Record<TaskObjectGap, (task: string) => string>> = {
  'snapshot-unrecorded': (task) => `${task} has no snapshot`,
  'snapshot-missing': (task) => `the snapshot of ${task} is not in the repository`,
  'snapshot-tree': (task) => `the snapshot of ${task} has another tree than the recorded one`,
  'snapshot-parent': (task) => `the snapshot of ${task} is not one commit on its recorded base`,
  'edit-paths': (task) => `other paths of ${task} were edited than the recorded ones`,
  'candidate-missing': (task) => `the candidate of ${task} is not in the repository`,
  'candidate-parent': (task) => `the candidate is not linear at ${task}`,
  'candidate-tree': (task) => `the candidate has another tree than the recorded one at ${task}`,
};
