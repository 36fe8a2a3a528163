import type { MergerRules } from '../../findings/run/merger-rules.ts';
import { objectGapText, proofGapText } from '../proof-gaps.ts';
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
