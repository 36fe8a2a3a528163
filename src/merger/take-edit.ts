import { existsSync } from 'node:fs';
import { loginFile, secretsIn } from '../adapters/agent-login.ts';
import { failpoint } from '../adapters/failpoint.ts';
import { mustReadCommit, readChanges } from '../adapters/git-write/index.ts';
import { personsStore } from '../adapters/lfs/index.ts';
import { SnapshotRefused, takeSnapshot } from '../adapters/snapshot/index.ts';
import { recordOf } from '../adapters/workspace/index.ts';
import { agentKinds } from '../domain/agents.ts';
import type { SnapshotEvidence } from '../domain/evidence.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { CommitId, TaskId } from '../domain/ids.ts';
import type { By } from '../domain/requests.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { editedFiles, refs } from '../domain/state-dir.ts';
import type { MergerAnswer } from '../ports/merger.ts';
import { done, type Order, recordWhile, refused } from './context.ts';
import { eventsOf, type History, isVoidedBy, lastSnapshot, planInForce } from './history.ts';

type TakeEdit = { readonly task: TaskId; readonly from: CommitId; readonly copy: string; readonly by: By };

/**
 * Makes the next snapshot of a task out of what a person left in a copy of the last one, by the walk that takes every snapshot. What
 * could not be taken from the agent, and secrets in what the person did not touch, stay findings of the new one.
 */
export async function takeEdit(order: Order, { task, from, copy, by }: TakeEdit): Promise<MergerAnswer> {
  const { repository } = order.state;
  const history = await order.ledger.read(order.run);
  const edits = eventsOf(history, 'task-edited').filter(({ event }) => event.task === task);
  if (edits.some(({ event }) => event.copy === copy)) return done;
  const last = lastSnapshot(history, task);
  const ended = eventsOf(history, 'attempt-ended').findLast(({ event }) => event.task === task);
  if (last === undefined || !ended?.event.snapshot) return refused({ rule: 'no-snapshot', task });
  if (last.commit !== from) return refused({ rule: 'snapshot-outdated', task, named: from, newest: last.commit });
  const files = editedFiles(order.state, copy);
  if (files === null || !existsSync(files)) return refused({ rule: 'edit-gone', task });

  const taken = await walk(order, { files, last, ref: refs.edit(order.run, task, edits.length + 1), task });
  if (!taken.ok) return refused({ rule: 'edit-unreadable', task, because: taken.error });
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

async function walk(
  order: Order,
  of: { readonly files: string; readonly last: SnapshotEvidence; readonly ref: string; readonly task: TaskId },
): Promise<Result<SnapshotEvidence, Finding>> {
  const { repository, lfs: store } = order.state;
  try {
    const snapshot = await takeSnapshot({
      repository,
      workspace: of.files,
      base: of.last.base,
      from: of.last.commit,
      statCache: recordOf(of.files),
      ref: of.ref,
      message: `Snapshot of ${order.run}/${of.task}, edited by hand`,
      secrets: knownValues(order, await order.ledger.read(order.run)),
      lfs: { store, stores: async () => [store, await personsStore(order.checkout, order.env)] },
    });
    return ok(snapshot);
  } catch (error) {
    if (error instanceof SnapshotRefused) return err(error.finding);
    throw error;
  }
}

/** Values that agents of this run may have been given. Short ones (`on`, a port) would be found everywhere. */
function knownValues({ env }: Order, history: History): readonly string[] {
  const kinds = Object.values(agentKinds);
  const names = [...planInForce(history).plan.fence.env, ...kinds.flatMap(({ credentials }) => credentials)];
  return [
    ...names.map((name) => env[name] ?? ''),
    ...kinds.flatMap(({ login }) => (login === undefined ? [] : secretsIn(loginFile(login, env)))),
  ].filter((value) => value.length >= 8);
}

/** The copy is made of what could be taken, and holds values that nobody remembers: what was found before stays found. */
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
