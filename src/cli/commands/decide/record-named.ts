import { err, ok, type Result } from '../../../domain/base/result.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import { type Outcome, usageError } from '../../frame/command.ts';
import { type RunSubject, resolveWholeRun } from '../../frame/subject.ts';

/** Finds the record that a person named: `run/3`, or `3` of the live or newest run. */
export async function recordNamed(
  repo: RepositoryHandle,
  command: 'answer' | 'record',
  typed: string,
): Promise<Result<RunSubject & { readonly record: string }, Outcome>> {
  const named = /^(?:([^/]+)\/)?([0-9]{1,9})$/.exec(typed);
  if (named?.[2] === undefined)
    return err(
      usageError('bad-record', `${command}: ${JSON.stringify(typed)} is not a run/record; see tidegate inbox`),
    );
  const subject = await resolveWholeRun(repo, command, named[1], 'newest');
  return subject.ok ? ok({ ...subject.value, record: named[2] }) : subject;
}
