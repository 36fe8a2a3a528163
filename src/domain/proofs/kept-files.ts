import type { AttemptId, TaskId } from '../base/ids.ts';
import type { LedgerEvent } from '../ledger/events.ts';

/** A file in the state directory that a proof rests on: of a bundle that a person gave, or declared by a task and left by an attempt. */
export type KeptFile = { readonly task: TaskId; readonly name: string; readonly sha256: string } & (
  | { readonly bundle: string }
  | { readonly attempt: AttemptId }
);

type Past = readonly { readonly event: LedgerEvent }[];

/** The files of all bundles that nobody revoked or replaced, and of the last attempt of each task. */
export function keptFiles(past: Past): readonly KeptFile[] {
  const over = new Set(
    past.flatMap(({ event }) => {
      if (event.type === 'proof-revoked') return [event.bundle];
      return event.type === 'proof-registered' && event.supersedes !== undefined ? [event.supersedes] : [];
    }),
  );
  const last = new Map<TaskId, LedgerEvent & { readonly type: 'attempt-ended' }>();
  const files: KeptFile[] = [];
  for (const { event } of past) {
    if (event.type === 'attempt-ended') last.set(event.task, event);
    if (event.type !== 'proof-registered' || over.has(event.bundle)) continue;
    const { task, bundle, artifacts } = event;
    for (const artifact of artifacts)
      if (artifact.kind === 'file') files.push({ task, bundle, name: artifact.name, sha256: artifact.sha256 });
  }
  for (const { task, attempt, snapshot } of last.values())
    for (const proof of snapshot?.proofs ?? [])
      if ('sha256' in proof) files.push({ task, attempt, name: proof.path, sha256: proof.sha256 });
  return files;
}
