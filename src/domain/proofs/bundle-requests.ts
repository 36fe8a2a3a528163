import { err, ok, type Result } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RequestEvent } from '../ledger/requests.ts';
import { type PlannedTask, plannedById } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';
import { snapshotOf } from '../run/task.ts';
import { policy } from '../settings/policy.ts';
import { type Bundle, bundleLevels, bundlesOf, type ProofArtifact } from './bundle.ts';

type ProofRequest = RequestEvent & { readonly type: 'requested-proof' };
type RevokeRequest = RequestEvent & { readonly type: 'requested-proof-revoke' };

/** Decides a person's proof. It counts for the snapshot that they were shown, as long as that is the current one. */
export function registerProof(state: RunState, request: ProofRequest): Result<readonly RunEvent[], Finding> {
  const { task, snapshot, level, artifacts, attestation, components, supersedes, by } = request;
  const known = state.tasks[task];
  const planned = plannedById(state.plan, task);
  const latest = known === undefined ? null : snapshotOf(known);
  if (known === undefined) return err({ rule: 'no-such-task', run: state.run, task });
  if (planned === undefined || planned.closes !== undefined || latest === null)
    return err({ rule: 'proof-subject', task });
  if (hasLanded(state, task)) return err({ rule: 'proof-landed', task });
  if (latest.commit !== snapshot)
    return err({ rule: 'snapshot-outdated', task, named: snapshot, newest: latest.commit });
  const unfit = unfitProof(request) ?? unfitComponents(planned, components) ?? unfitReplaced(state, request);
  if (unfit !== null) return err(unfit);
  const bundle = `p${bundlesOf(state).length + 1}`;
  const about = { task, snapshot, tree: latest.tree, level, artifacts };
  const more = {
    ...(components === undefined ? {} : { components }),
    ...(supersedes === undefined ? {} : { supersedes }),
  };
  return ok([{ type: 'proof-registered', bundle, ...about, ...more, attestation, by }]);
}

/** Decides a person's revocation. A landed task keeps its proof: the branch would not change. */
export function revokeProof(state: RunState, request: RevokeRequest): Result<readonly RunEvent[] | 'later', Finding> {
  const { bundle, reason, by } = request;
  const found = bundleNamed(state, bundle);
  if (!found.ok) return found;
  const { task } = found.value;
  if (reason.trim() === '') return err({ rule: 'proof-reason' });
  if (reason.length > policy.recordCharacters) return err({ rule: 'post-long', limit: policy.recordCharacters });
  if (hasLanded(state, task)) return err({ rule: 'bundle-landed', run: state.run, bundle, task });
  return isMovingWith(state) ? ok('later') : ok([{ type: 'proof-revoked', bundle, reason, by }]);
}

const hasLanded = ({ undo }: RunState, task: Bundle['task']): boolean =>
  undo.landed.includes(task) && !undo.tasks.includes(task);

/** A merge or a landing that has begun finishes with the proofs that it was judged with. */
function isMovingWith({ waves, landing }: RunState): boolean {
  const isClosing = waves.some(({ rounds }) => {
    const status = rounds.at(-1)?.status;
    return status === 'closing' || status === 'merging';
  });
  return isClosing || landing.status === 'intended' || landing.status === 'offering';
}

function bundleNamed(state: RunState, id: string): Result<Bundle, Finding> {
  const bundle = bundlesOf(state).find((one) => one.id === id);
  const known = bundlesOf(state).map((one) => one.id);
  if (bundle === undefined) return err({ rule: 'no-such-bundle', run: state.run, bundle: id, known });
  return bundle.state === 'active' ? ok(bundle) : err({ rule: 'bundle-settled', bundle: id, state: bundle.state });
}

function unfitProof({ level, artifacts, attestation }: ProofRequest): Finding | null {
  if (attestation.trim() === '') return { rule: 'proof-attestation' };
  if (attestation.length > policy.recordCharacters) return { rule: 'post-long', limit: policy.recordCharacters };
  if (!bundleLevels.includes(level)) return { rule: 'proof-level', level, levels: bundleLevels };
  if (artifacts.length === 0 || artifacts.length > policy.proofArtifacts)
    return { rule: 'proof-artifacts', most: policy.proofArtifacts };
  const unfit = artifacts.find((artifact) => !isWhole(artifact));
  return unfit === undefined ? null : { rule: 'proof-artifact', artifact: artifactName(unfit) };
}

export const artifactName = (artifact: ProofArtifact): string =>
  artifact.kind === 'file' ? artifact.name : artifact.url;

const isWhole = (artifact: ProofArtifact): boolean =>
  /^[0-9a-f]{64}$/.test(artifact.sha256) &&
  (artifact.kind === 'file'
    ? artifact.bytes > 0
    : /^https?:\/\/\S+$/.test(artifact.url) && !Number.isNaN(Date.parse(artifact.at)));

/** A proof names only what its task promotes. */
function unfitComponents(
  { id, promotes = {} }: PlannedTask,
  components: ProofRequest['components'] = {},
): Finding | null {
  const other = Object.entries(components).find(([component, level]) => promotes[component] !== level);
  return other === undefined ? null : { rule: 'proof-component', task: id, component: other[0] };
}

function unfitReplaced(state: RunState, { task, supersedes }: ProofRequest): Finding | null {
  if (supersedes === undefined) return null;
  const replaced = bundleNamed(state, supersedes);
  if (!replaced.ok) return replaced.error;
  return replaced.value.task === task ? null : { rule: 'bundle-of-other-task', bundle: supersedes, task };
}
