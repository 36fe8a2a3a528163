import type { RunId } from '../../domain/base/ids.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { requestLanding } from '../../engine/actions/perform.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { inBackground } from '../follow/background.ts';
import { inForeground } from '../follow/foreground.ts';
import { type Context, misused, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import { subjectOf } from '../frame/subject.ts';
import { withRepository } from '../frame/with-repository.ts';
import { lift } from './lift.ts';
import { planNote, replan } from './replan.ts';

type ResumeOptions = {
  readonly replan: boolean;
  readonly detach: boolean;
  readonly yes: boolean;
  readonly land: boolean;
};

/**
 * `tidegate resume [run]`: goes on with the frozen plan, after a pause, a stop, a failure of the machine, or a crash. Files
 * that differ by now are told; `--replan` takes them.
 */
export const resumeAndFollow = (
  { run, ...options }: ResumeOptions & { readonly run: string | undefined },
  context: Context,
  { ports }: Program,
): Promise<Outcome> =>
  withRepository(ports.openRepository, context, 'ask', (repo) => goOn(repo, context, run, options));

async function goOn(
  repo: RepositoryHandle,
  context: Context,
  given: string | undefined,
  options: ResumeOptions,
): Promise<Outcome> {
  const found = await subjectOf(repo, 'resume', given, 'newest');
  if (!found.ok) return found.error;
  const { run, state, stored } = found.value;
  if (state === null)
    return options.replan
      ? misused('not-made', `resume: ${run} is ordered, but no coordinator has begun it yet`)
      : await bringOn(repo, context, run, options);
  const subject = { run, state, stored };
  const replaced = options.replan ? await replan(repo, subject) : null;
  if (replaced?.ok === false) return replaced.error;
  const note = replaced === null ? await planNote(repo, subject) : replaced.value.note;
  if (note !== null) context.terminal.problem(`tidegate: note: ${note.message}`);
  const isNew = replaced !== null && replaced.value.note.differences.length > 0;
  const outcome = isNew ? null : await lift(repo, subject);
  if (options.land && !isNew) await requestLanding(repo, subject);
  const ended = outcome ?? (await bringOn(repo, context, run, options, replaced?.value.warnings));
  return note === null ? ended : { ...ended, data: { ...ended.data, planFiles: note } };
}

async function bringOn(
  repo: RepositoryHandle,
  context: Context,
  run: RunId,
  { yes, land, detach }: ResumeOptions,
  warnings: readonly Finding[] = [],
): Promise<Outcome> {
  const how = { yes, land, warnings, fromStart: false };
  return detach ? await inBackground(repo, context, run, how) : await inForeground(repo, context, run, how);
}
