import { hash } from 'node:crypto';
import { type AttemptId, attemptId } from '../../domain/base/ids.ts';
import { asIntended, nextAttempt, promptOf } from '../../engine/prompt/prompt.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { done, misused, type Outcome } from '../frame/command.ts';
import { type MadeTask, taskNamed } from '../frame/subject.ts';
import { failed } from '../frame/with-repository.ts';

/** `tidegate show run/task --prompt`: what its agent was told, or would be told now. The text and nothing else. */
export async function showPrompt(repo: RepositoryHandle, given: string | undefined): Promise<Outcome> {
  const found = await taskNamed(repo, 'show', given, 'newest');
  if (!found.ok) return found.error;
  const { run, task, state } = found.value;
  const launches = state.tasks[task]?.launches ?? 0;
  if (launches > 0) return await toldTo(repo, found.value, attemptId(run, task, launches));
  const attempt = nextAttempt(state, task);
  if (attempt === null) return misused('no-prompt', `show: ${run}/${task} never had an attempt`);
  return outcomeOf(found.value, await promptOf(repo.git, state, task, attempt), null);
}

/** As it was kept; where it was not, as it follows from the ledger. Either way it is what the ledger has the hash of. */
async function toldTo(repo: RepositoryHandle, found: MadeTask, attempt: AttemptId): Promise<Outcome> {
  const started = found.stored.findLast(
    ({ event }) => event.type === 'attempt-started' && event.attempt === attempt,
  )?.event;
  const recorded = started?.type === 'attempt-started' ? started.prompt : undefined;
  const kept = await repo.files.readPrompt(attempt);
  const intended = asIntended(found.stored, found.state, attempt);
  const text = kept ?? (await promptOf(repo.git, intended.state, intended.task, intended.attempt));
  const isIt = recorded === undefined ? kept !== null || started === undefined : sha256(text) === recorded;
  if (isIt) return outcomeOf(found, text, attempt);
  const message = `show: what ${attempt} was told is not there any more, or was changed since`;
  return failed('no-prompt', message);
}

const outcomeOf = ({ run, task }: MadeTask, prompt: string, attempt: AttemptId | null): Outcome =>
  done(prompt.trimEnd().split('\n'), { run, task, attempt, prompt, sha256: sha256(prompt) });

const sha256 = (text: string): string => hash('sha256', text, 'hex');
