import { existsSync } from 'node:fs';
import { personsStore } from '../adapters/git/lfs/index.ts';
import { mustReadCommit, readChanges } from '../adapters/git/write/index.ts';
import { failpoint } from '../adapters/process/failpoint.ts';
import { SnapshotRefused, takeSnapshot } from '../adapters/snapshot/index.ts';
import { recordOf } from '../adapters/workspace/index.ts';
import { agentKinds } from '../agents/agents.ts';
import { loginFile, secretsIn } from '../agents/common/login.ts';
import type { CommitId, TaskId } from '../domain/base/ids.ts';
import { err, ok, type Result } from '../domain/base/result.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { SnapshotEvidence } from '../domain/gates/evidence.ts';
import type { By } from '../domain/ledger/requests.ts';
import { editedFiles, refs } from '../domain/ledger/state-dir.ts';
import { plannedById } from '../domain/plan/plan.ts';
import type { MergerAnswer } from '../ports/merger.ts';
import { type MergerOrder, mergerDone, recordWhile, refused } from './order.ts';
import { eventsOf, type History, isVoidedBy, lastSnapshot, planInForce } from './proof/history.ts';

type TakeEdit = { readonly task: TaskId; readonly from: CommitId; readonly copy: string; readonly by: By };

/**
 * Makes the next snapshot of a task out of what a person left in a copy of the last one, by the walk that takes every snapshot. What
 * could not be taken from the agent, and secrets in what the person did not touch, stay findings of the new one.
 */
export async function takeEdit(order: MergerOrder, { task, from, copy, by }: TakeEdit): Promise<MergerAnswer> {
  const { repository } = order.state;
  const history = await order.ledger.read(order.run);
  const edits = eventsOf(history, 'task-edited').filter(({ event }) => event.task === task);
  if (edits.some(({ event }) => event.copy === copy)) return mergerDone;
  const last = lastSnapshot(history, task);
  const ended = eventsOf(history, 'attempt-ended').findLast(({ event }) => event.task === task);
  if (last === undefined || !ended?.event.snapshot) return refused({ rule: 'no-snapshot', task });
  if (last.commit !== from) return refused({ rule: 'snapshot-outdated', task, named: from, newest: last.commit });
  const files = editedFiles(order.state, copy);
  if (files === null || !existsSync(files)) return refused({ rule: 'edit-gone' });

  const taken = await walkEdited(order, files, {
    base: last.base,
    from,
    ref: refs.edit(order.run, task, edits.length + 1),
    message: `Snapshot of ${order.run}/${task}, edited by hand`,
    ...wanted(order, history, { task, attempt: ended.event.attempt }),
  });
  if (!taken.ok) return refused({ rule: 'edit-unreadable', because: taken.error });
  // the copy was made of what could be taken: what cannot be is the person's own, and stays theirs
  const unfit = taken.value.refused.find(({ rule }) => rule !== 'two-spellings');
  if (unfit !== undefined) return refused({ rule: 'edit-unreadable', because: unfit });
  const { tree } = await mustReadCommit(repository, from);
  if (taken.value.tree === tree) return refused({ rule: 'edit-unchanged', task });
  failpoint('merger-edit-taken');
  const { attempt, snapshot: left } = ended.event;
  const touched = pathsOf(await readChanges(repository, from, taken.value.commit));
  const paths = pathsOf(await readChanges(repository, left.commit, taken.value.commit));
  const snapshot = withEarlierFindings(taken.value, last, new Set(touched));
  const stands = (past: History): boolean =>
    !past.some(({ position, event }) => position > history.length && isVoidedBy(task, event));
  return await recordWhile(order, stands, { type: 'task-edited', task, attempt, from, snapshot, paths, copy, by });
}

const pathsOf = (changes: readonly { readonly path: string }[]): readonly string[] => changes.map(({ path }) => path);

/** Keeps the findings of the earlier snapshot: the copy holds only files that could be taken, and a secret in it may be known no more. */
function withEarlierFindings(
  snapshot: SnapshotEvidence,
  before: SnapshotEvidence,
  touched: ReadonlySet<string>,
): SnapshotEvidence {
  const isStill = ({ rule, where }: Finding): boolean =>
    rule !== 'two-spellings' && (where === undefined || !touched.has(where));
  const joined = (now: readonly Finding[], earlier: readonly Finding[]): readonly Finding[] => [
    ...now,
    ...earlier.filter(
      (finding) => isStill(finding) && !now.some(({ rule, where }) => rule === finding.rule && where === finding.where),
    ),
  ];
  return {
    ...snapshot,
    refused: joined(snapshot.refused, before.refused),
    secrets: joined(snapshot.secrets, before.secrets),
  };
}

type Walk = {
  readonly base: CommitId;
  /** The commit that the copy was made of. */
  readonly from: CommitId;
  readonly ref: string;
  readonly message: string;
  readonly evidence?: Parameters<typeof takeSnapshot>[0]['evidence'];
};

/** Deliverables and proofs of the task, and the evidence store of its attempt. */
function wanted(
  { state }: MergerOrder,
  history: History,
  { task, attempt }: { readonly task: TaskId; readonly attempt: string },
): Pick<Walk, 'evidence'> {
  const { deliverables = [], artifacts = [] } = plannedById(planInForce(history).plan, task) ?? {};
  const isEmpty = deliverables.length === 0 && artifacts.length === 0;
  return isEmpty ? {} : { evidence: { deliverables, proofs: artifacts, store: state.evidence(attempt) } };
}

/** Takes what a person left in a directory, by the walk that takes every snapshot. */
export async function walkEdited(
  order: MergerOrder,
  files: string,
  { base, from, ref, message, evidence }: Walk,
): Promise<Result<SnapshotEvidence, Finding>> {
  const { repository, lfs: store } = order.state;
  try {
    const snapshot = await takeSnapshot({
      repository,
      workspace: files,
      base,
      from,
      statCache: recordOf(files),
      ref,
      message,
      secrets: knownValues(order, await order.ledger.read(order.run)),
      lfs: { store, stores: async () => [store, await personsStore(order.checkout, order.env)] },
      ...(evidence === undefined ? {} : { evidence }),
    });
    return ok(snapshot);
  } catch (error) {
    if (error instanceof SnapshotRefused) return err(error.finding);
    throw error;
  }
}

/** Returns values that agents of this run may know. Short ones (`on`, a port) are left out: they would be found everywhere. */
function knownValues({ env }: MergerOrder, history: History): readonly string[] {
  const kinds = Object.values(agentKinds);
  const names = [...planInForce(history).plan.fence.env, ...kinds.flatMap(({ credentials }) => credentials)];
  return [
    ...names.map((name) => env[name] ?? ''),
    ...kinds.flatMap(({ login }) => (login === undefined ? [] : secretsIn(loginFile(login, env)))),
  ].filter((value) => value.length >= 8);
}
