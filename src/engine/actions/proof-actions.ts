import { err, ok } from '../../domain/base/result.ts';
import { type BundleLevel, bundleLevels, type ProofArtifact } from '../../domain/proofs/bundle.ts';
import { snapshotOf } from '../../domain/run/task.ts';
import { type Action, forPeople } from './action.ts';

type ProofInput = {
  readonly level: string;
  readonly artifacts: readonly ProofArtifact[];
  readonly attestation: string;
  readonly components?: Readonly<Record<string, string>> | undefined;
  readonly supersedes?: string | undefined;
};

/** Registers a proof of a person for the current snapshot of a task. */
export const proveAction: Action<'task', ProofInput> = {
  name: 'prove',
  ...forPeople,
  on: 'task',
  request: ({ task, state }, { level, artifacts, attestation, components, supersedes }, by) => {
    const known = state.tasks[task];
    const snapshot = known === undefined ? null : snapshotOf(known);
    if (!isLevel(level))
      return err({
        reason: 'bad-level',
        because: { rule: 'proof-level', level, levels: bundleLevels },
        field: 'level',
      });
    if (attestation.trim() === '')
      return err({ reason: 'no-message', because: { rule: 'proof-attestation' }, field: 'attestation' });
    if (snapshot === null) return err({ reason: 'nothing-there', because: { rule: 'proof-subject', task } });
    const more = {
      ...(components === undefined ? {} : { components }),
      ...(supersedes === undefined ? {} : { supersedes }),
    };
    const about = { task, snapshot: snapshot.commit, level, artifacts, attestation, ...more };
    return ok({ type: 'requested-proof', ...about, by });
  },
};

const isLevel = (word: string): word is BundleLevel => bundleLevels.some((level) => level === word);

/** Revokes a proof. What it had closed is open again. */
export const revokeProofAction: Action<'run', { readonly bundle: string; readonly reason: string }> = {
  name: 'revoke-proof',
  ...forPeople,
  on: 'run',
  request: (_, { bundle, reason }, by) =>
    reason.trim() === ''
      ? err({ reason: 'no-message', because: { rule: 'proof-reason' }, field: 'reason' })
      : ok({ type: 'requested-proof-revoke', bundle, reason, by }),
};
