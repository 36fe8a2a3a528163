import { agentKinds } from '../../agents/agents.ts';
import { type CommitId, commitId } from '../../domain/base/ids.ts';
import { bytesOfShown } from '../../domain/base/paths.ts';
import { err, ok } from '../../domain/base/result.ts';
import { snapshotOf } from '../../domain/run/task.ts';
import { parsePattern } from '../../domain/scope/pattern.ts';
import { type Action, forAnyone, forPeople, type Misuse } from './action.ts';

/** Allows a task to change paths that it does not own. */
export const grantAction: Action<'task', { readonly paths: readonly string[] }> = {
  name: 'grant',
  ...forPeople,
  on: 'task',
  request: ({ task }, { paths }, by) => {
    const bad = badPath(paths);
    return bad === null ? ok({ type: 'requested-grant', task, paths, by }) : err(bad);
  },
};

/** Drops a task; with paths, only its changes to those paths. */
export const dropAction: Action<'task', { readonly paths: readonly string[] }> = {
  name: 'drop',
  ...forPeople,
  on: 'task',
  request: ({ task }, { paths }, by) => {
    // a path that no snapshot holds is written as it is shown, with its quotes
    const bad = badPath(paths.filter((path) => !path.startsWith('"') || bytesOfShown(path) === null));
    return bad === null ? ok({ type: 'requested-drop', task, paths, by }) : err(bad);
  },
};

/** Removes files that no snapshot holds from the workspaces of a task. Nothing else removes them (I7). */
export const discardAction: Action<'task', { readonly paths: readonly string[] }> = {
  name: 'discard',
  ...forPeople,
  on: 'task',
  request: ({ run, task }, { paths }, by) => {
    const at = paths.findIndex((path) => bytesOfShown(path) === null);
    const path = paths[at];
    return path === undefined
      ? ok({ type: 'requested-discard', task, paths, by })
      : err({ reason: 'bad-path', because: { rule: 'not-kept', run, task, path }, field: `paths[${at}]` });
  },
};

/** Starts a task again from its base. */
export const retryAction: Action<'task', object> = {
  name: 'retry',
  ...forAnyone,
  on: 'task',
  request: ({ task }, _, by) => ok({ type: 'requested-retry', task, by }),
};

/** Gives a task to another agent. The agent was approved with the plan, so only a person may change it. */
export const switchAgentAction: Action<'task', { readonly agent: string }> = {
  name: 'switch-agent',
  ...forPeople,
  on: 'task',
  request: ({ task }, { agent }, by) =>
    Object.hasOwn(agentKinds, agent)
      ? ok({ type: 'requested-retry', task, agent, by })
      : err({
          reason: 'unknown-agent',
          because: { rule: 'no-such-agent', agent, known: Object.keys(agentKinds) },
          field: 'agent',
        }),
};

/** Starts another attempt on top of the existing work, with a message that says what to fix. */
export const reworkAction: Action<'task', { readonly message: string }> = {
  name: 'rework',
  ...forAnyone,
  on: 'task',
  request: ({ task }, { message }, by) => {
    const bad = badMessage(message);
    return bad === null ? ok({ type: 'requested-rework', task, message, by }) : err(bad);
  },
};

/** Accepts the work of a task although its agent did not exit or hand off well. `snapshot` is the one that the person saw. */
export const acceptAction: Action<'task', { readonly snapshot: string }> = {
  name: 'accept',
  ...forPeople,
  on: 'task',
  request: ({ task, state }, { snapshot: prefix }, by) => {
    const known = state.tasks[task];
    const newest = known === undefined ? null : (snapshotOf(known)?.commit ?? null);
    if (newest?.startsWith(prefix) === true) return ok({ type: 'requested-accept', task, snapshot: newest, by });
    // the coordinator judges a whole id: it may know a newer snapshot than this state
    if (isWholeId(prefix)) return ok({ type: 'requested-accept', task, snapshot: commitId(prefix), by });
    const because = { rule: 'snapshot-outdated', task, named: prefix, newest } as const;
    return err({ reason: 'other-snapshot', because, field: 'snapshot' });
  },
};

const isWholeId = (text: string): boolean => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** Takes a person's edit of a snapshot as the next snapshot. `copy` is the edited directory on this machine. */
export const editAction: Action<'task', { readonly from: CommitId; readonly copy: string }> = {
  name: 'edit',
  ...forPeople,
  rest: false,
  on: 'task',
  request: ({ task }, { from, copy }, by) => ok({ type: 'requested-edit', task, from, copy, by }),
};

/** Returns the problem with the first path that is no pattern inside the repository; null when all are. */
function badPath(paths: readonly string[]): Misuse | null {
  for (const [at, path] of paths.entries()) {
    const parsed = parsePattern(path);
    if (!parsed.ok)
      return {
        reason: 'bad-path',
        because: { rule: 'bad-pattern', pattern: path, fault: parsed.error },
        field: `paths[${at}]`,
      };
  }
  return null;
}

/** Returns the problem with a message for an agent; null when there is none. */
export const badMessage = (message: string): Misuse | null =>
  message.trim() === '' ? { reason: 'no-message', because: { rule: 'post-empty' }, field: 'message' } : null;
