import type { AttemptId, TaskId } from '../../domain/base/ids.ts';
import { safeLine } from '../../domain/base/safe-text.ts';
import { mergedSnapshot } from '../../domain/derived/left-out.ts';
import type { RunState } from '../../domain/run/run.ts';
import { liveAttempt, snapshotOf, type TaskState } from '../../domain/run/task.ts';
import type { AgentEvent } from '../../domain/tool-calls/agent-event.ts';
import type { Content, LineCount, RepositoryHandle } from '../../ports/repository-handle.ts';
import { activityLine } from '../../view/agent-lines.ts';
import type { Activity, Diffstat, TaskActivity } from '../../view/task-view.ts';

type ActivitySource = {
  readonly files: Pick<RepositoryHandle['files'], 'content'>;
  readonly patches: Pick<RepositoryHandle['patches'], 'counts'>;
};

/** Reads what the agents of a run are doing and have changed. Reads nothing again that has not changed. */
export function activityReader({ files, patches }: ActivitySource): (state: RunState) => Promise<Activity> {
  const stats = new Map<string, Diffstat | null>();
  const lines = new Map<AttemptId, { readonly bytes: number; readonly doing: string | null }>();

  async function doing(task: TaskState): Promise<string | null> {
    const attempt = liveAttempt(task)?.id;
    if (attempt === undefined) return null;
    // commands have no transcript: their output takes its place
    const transcript = await files.content(attempt, 'transcript');
    const [content, lineOf] =
      transcript !== null && transcript.bytes > 0
        ? [transcript, transcriptLine]
        : [await files.content(attempt, 'log'), outputLine];
    if (content === null) return null;
    const before = lines.get(attempt);
    if (before?.bytes === content.bytes) return before.doing;
    const last = (await lastLines(content)).map(lineOf).findLast((line) => line !== null);
    const now = { bytes: content.bytes, doing: last ?? before?.doing ?? null };
    lines.set(attempt, now);
    return now.doing;
  }

  async function changes(state: RunState, task: TaskState): Promise<Diffstat | null> {
    const isByOther = task.progress.status === 'merged' && task.progress.through !== undefined;
    const snapshot = isByOther ? mergedSnapshot(state, task) : snapshotOf(task);
    if (snapshot === null) return null;
    const { base, commit } = snapshot;
    // of a snapshot that was merged for another task, other changes count
    const key = `${base}..${commit}`;
    const known = stats.get(key);
    if (known !== undefined) return known;
    const counts = await patches.counts(base, commit);
    const stat = counts === null ? null : diffstatOf(counts);
    stats.set(key, stat);
    return stat;
  }

  return async (state) => {
    const activity = new Map<TaskId, TaskActivity>();
    // one after the other: each new snapshot starts a git process
    for (const task of Object.values(state.tasks))
      activity.set(task.id, { doing: await doing(task), changes: await changes(state, task) });
    return activity;
  };
}

export const diffstatOf = (counts: readonly LineCount[]): Diffstat => ({
  files: counts.length,
  added: counts.reduce((sum, { added }) => sum + (added ?? 0), 0),
  removed: counts.reduce((sum, { removed }) => sum + (removed ?? 0), 0),
});

const tailBytes = 64 << 10;

/** Returns the last whole lines of a growing file. */
async function lastLines({ bytes, read }: Content): Promise<readonly string[]> {
  const from = Math.max(0, bytes - tailBytes);
  const chunks: Buffer[] = [];
  for await (const chunk of read(from, bytes)) chunks.push(chunk);
  const lines = Buffer.concat(chunks).toString('utf8').split('\n').slice(0, -1);
  return from === 0 ? lines : lines.slice(1);
}

const outputLine = (line: string): string | null => safeLine(line).trim() || null;

function transcriptLine(line: string): string | null {
  return activityLine(JSON.parse(line) as AgentEvent);
}

/** Returns one line for each task whose workspace is still being made, where that takes long. */
export async function copyingLines(repo: RepositoryHandle, state: RunState): Promise<readonly string[]> {
  const launching = Object.values(state.tasks).flatMap(({ id, progress }) =>
    progress.status === 'launching' ? [{ id, attempt: progress.attempt.id }] : [],
  );
  const lines = launching.map(async ({ id, attempt }) => {
    const copied = await repo.files.readCopied(attempt);
    return copied === null ? [] : [copyingLine(id, copied)];
  });
  return (await Promise.all(lines)).flat();
}

/** After the last file, owners are set and each file is read once. */
export function copyingLine(task: string, { done, total }: { readonly done: number; readonly total: number }): string {
  const counted = done < total ? `${grouped(done)} of ${grouped(total)} files` : `${grouped(total)} files, almost done`;
  return `${task}: copying the repository: ${counted}`;
}

const grouped = (count: number): string => count.toLocaleString('en-US');
