import { err, ok, type Result } from '../../../domain/base/result.ts';
import { theRepository } from '../../../domain/repository/repository.ts';
import type { RunState } from '../../../domain/run/run.ts';
import type { Subjects } from '../../../engine/actions/action.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import { type Outcome, usageError } from '../../frame/command.ts';
import { type RunSubject, repositorySubject, resolveWholeRun } from '../../frame/subject.ts';

/** A record of a run, or of the repository, and the board that it is on. */
type NamedRecord = {
  readonly record: string;
  readonly board: Pick<RunState, 'board'>;
  readonly subject: RunSubject | Subjects['repository'];
};

/** Finds the record that a person named: `run/3`, `repository/3`, or `3` of the live or newest run. */
export async function recordNamed(
  repo: RepositoryHandle,
  command: 'answer' | 'record',
  typed: string,
): Promise<Result<NamedRecord, Outcome>> {
  const named = /^(?:([^/]+)\/)?([0-9]{1,9})$/.exec(typed);
  const record = named?.[2];
  if (named === null || record === undefined)
    return err(
      usageError('bad-record', `${command}: ${JSON.stringify(typed)} is not a run/record; see tidegate inbox`),
    );
  if (named[1] === theRepository) {
    const subject = await repositorySubject(repo);
    return ok({ record, subject, board: subject.repository });
  }
  const found = await resolveWholeRun(repo, command, named[1], 'newest');
  return found.ok ? ok({ record, subject: found.value, board: found.value.state }) : found;
}
