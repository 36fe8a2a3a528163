import type { AttemptId, CommitId, TaskId } from '../../domain/base/ids.ts';
import { safeLine } from '../../domain/base/safe-text.ts';
import type { RunState } from '../../domain/run/run.ts';
import { liveAttempt, snapshotOf, type TaskState } from '../../domain/run/task.ts';
import type { AgentEvent } from '../../domain/tool-calls/agent-event.ts';
import type { Content, LineCount, RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Activity, Diffstat, TaskActivity } from '../../view/activity.ts';
import { doingLine } from '../../view/agent-lines.ts';

type ActivitySource = {
  readonly files: Pick<RepositoryHandle['files'], 'content'>;
  readonly patches: Pick<RepositoryHandle['patches'], 'counts'>;
};

/** Reads what the agents of a run do now and what they changed. What did not change since the last time is not read again. */
export function activityReader({ files, patches }: ActivitySource): (state: RunState) => Promise<Activity> {
  const stats = new Map<CommitId, Diffstat | null>();
  const lines = new Map<AttemptId, { readonly bytes: number; readonly doing: string | null }>();

  async function doing(task: TaskState): Promise<string | null> {
    const attempt = liveAttempt(task)?.id;
    if (attempt === undefined) return null;
    // commands speak no protocol: what they print takes its place
    const transcript = await files.content(attempt, 'transcript');
    const [content, lineOf] =
      transcript !== null && transcript.bytes > 0
        ? [transcript, transcribed]
        : [await files.content(attempt, 'log'), printed];
    if (content === null) return null;
    const before = lines.get(attempt);
    if (before?.bytes === content.bytes) return before.doing;
    const last = (await lastLines(content)).map(lineOf).findLast((line) => line !== null);
    const now = { bytes: content.bytes, doing: last ?? before?.doing ?? null };
    lines.set(attempt, now);
    return now.doing;
  }

  async function changes(task: TaskState): Promise<Diffstat | null> {
    const snapshot = snapshotOf(task);
    if (snapshot === null) return null;
    const { base, commit } = snapshot;
    const known = stats.get(commit);
    if (known !== undefined) return known;
    const counts = await patches.counts(base, commit);
    const found = counts === null ? null : diffstatOf(counts);
    stats.set(commit, found);
    return found;
  }

  return async (state) => {
    const found = new Map<TaskId, TaskActivity>();
    // one after the other: each new snapshot is a process of git
    for (const task of Object.values(state.tasks))
      found.set(task.id, { doing: await doing(task), changes: await changes(task) });
    return found;
  };
}

export const diffstatOf = (counts: readonly LineCount[]): Diffstat => ({
  files: counts.length,
  added: counts.reduce((sum, { added }) => sum + (added ?? 0), 0),
  removed: counts.reduce((sum, { removed }) => sum + (removed ?? 0), 0),
});

const tailBytes = 64 << 10;

/** The last whole lines of a file that grows. */
async function lastLines({ bytes, read }: Content): Promise<readonly string[]> {
  const from = Math.max(0, bytes - tailBytes);
  const chunks: Buffer[] = [];
  for await (const chunk of read(from, bytes)) chunks.push(chunk);
  const lines = Buffer.concat(chunks).toString('utf8').split('\n').slice(0, -1);
  return from === 0 ? lines : lines.slice(1);
}

const printed = (line: string): string | null => safeLine(line).trim() || null;

function transcribed(line: string): string | null {
  return doingLine(JSON.parse(line) as AgentEvent);
}
