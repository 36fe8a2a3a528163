import type { RunId } from '../../../domain/base/ids.ts';
import type { Finding } from '../../../domain/findings/finding.ts';
import { requestLanding } from '../../../engine/actions/perform.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import { inBackground } from '../../follow/background.ts';
import { inForeground } from '../../follow/foreground.ts';
import { liftHalt, planNote, replan } from '../../follow/replan.ts';
import { aRun, type Context, command, type Outcome, usageError } from '../../frame/command.ts';
import { resolveSubject } from '../../frame/subject.ts';

export const resumeCommand = command({
  name: 'resume',
  group: 'run',
  summary: 'continue a run after a pause, a stop or a crash',
  arguments: { run: aRun },
  options: {
    replan: { about: 'read the plan again: merged work stays, everything else needs approval again' },
    detach: { short: 'd', about: 'continue in the background' },
    yes: { about: 'approve the start, and nothing else' },
    land: { about: 'approve the landing' },
  },
  help: 'The run keeps its plan. If the plan file or the configuration has changed since, a note says so; --replan takes the changes.',
  changes: ({ run, ...options }, repo, context) => resume(repo, context, run, options),
});

type ResumeOptions = Readonly<Record<'replan' | 'detach' | 'yes' | 'land', boolean>>;

async function resume(
  repo: RepositoryHandle,
  context: Context,
  typed: string | undefined,
  options: ResumeOptions,
): Promise<Outcome> {
  const named = await resolveSubject(repo, 'resume', typed, 'newest');
  if (!named.ok) return named.error;
  const { run, state, stored } = named.value;
  if (state === null)
    return options.replan
      ? usageError('not-made', `resume: no coordinator has started ${run} yet, so there is no plan to replace`)
      : await follow(repo, context, run, options);
  const subject = { run, state, stored };
  const replanned = options.replan ? await replan(repo, subject) : null;
  if (replanned?.ok === false) return replanned.error;
  const note = replanned === null ? await planNote(repo, subject) : replanned.value.note;
  if (note !== null) context.terminal.problem(`tidegate: note: ${note.message}`);
  const isNew = replanned !== null && replanned.value.note.differences.length > 0;
  const problem = isNew ? null : await liftHalt(repo, subject);
  if (options.land && !isNew) await requestLanding(repo, subject);
  const outcome = problem ?? (await follow(repo, context, run, options, replanned?.value.warnings));
  return note === null ? outcome : { ...outcome, data: { ...outcome.data, planFiles: note } };
}

function follow(
  repo: RepositoryHandle,
  context: Context,
  run: RunId,
  { yes, land, detach }: ResumeOptions,
  warnings: readonly Finding[] = [],
): Promise<Outcome> {
  return (detach ? inBackground : inForeground)(repo, context, run, { yes, land, warnings, fromStart: false });
}
