import { type CommitId, commitId } from '../../../domain/base/ids.ts';
import { git, objectId } from '../process/index.ts';

type LoggedCommit = {
  readonly commit: CommitId;
  readonly title: string;
  /** By its trailers; null when it has none. */
  readonly run: string | null;
  readonly task: string | null;
};

/** Commits that `to` has and `from` has not, newest first. */
export async function readLog(gitDir: string, from: CommitId, to: CommitId): Promise<readonly LoggedCommit[]> {
  const trailer = (key: string): string => `%(trailers:key=${key},valueonly,separator=%x2C)`;
  const format = `%H%x1f%s%x1f${trailer('Tidegate-Run')}%x1f${trailer('Tidegate-Task')}`;
  const out = await git({ gitDir, args: ['log', '-z', `--format=${format}`, `${objectId(from)}..${objectId(to)}`] });
  return out
    .toString('utf8')
    .split('\0')
    .filter((record) => record !== '')
    .map((record) => {
      const [id = '', title = '', run = '', task = ''] = record.split('\x1f');
      return { commit: commitId(id), title, run: run || null, task: task || null };
    });
}
