import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { followRun } from '../follow/follow.ts';
import { ticker } from '../follow/foreground.ts';
import { actOn } from '../frame/act.ts';
import { type Context, exitCodes, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import { wholeRunNamed } from '../frame/subject.ts';
import { withRepository } from '../frame/with-repository.ts';

/** `tidegate abandon [run]`: ends a run for good, and says so when it has ended. */
export const abandonRun = (
  { run }: { readonly run: string | undefined },
  context: Context,
  { ports }: Program,
): Promise<Outcome> => withRepository(ports.openRepository, context, 'ask', (repo) => abandon(repo, run));

async function abandon(repo: RepositoryHandle, given: string | undefined): Promise<Outcome> {
  const found = await wholeRunNamed(repo, 'abandon', given);
  if (!found.ok) return found.error;
  const { run } = found.value;
  // whatever halted the run before it was abandoned is over: abandoning resumes it
  let isHalted = false;
  await using following = await followRun(repo, run, ({ event }, isNew) => {
    if (isNew && event.type === 'run-halted') isHalted = true;
    if (event.type === 'run-resumed') isHalted = false;
  });
  using ticks = ticker(1000);
  const outcome = await actOn(repo, { action: 'abandon', subject: found.value, input: {} });
  if (outcome.exit !== exitCodes.done || found.value.state.ended !== null) return outcome;
  for (;;) {
    const state = following.view()?.state;
    if (state?.ended !== undefined && state.ended !== null) return outcome;
    if (isHalted) return halted(run);
    await Promise.race([following.changed(), ticks.next()]);
    // a coordinator that died meanwhile is followed by another, which goes on with it
    await repo.ensureCoordinator();
  }
}

const halted = (run: string): Outcome => ({
  exit: exitCodes.personNeeded,
  reason: 'halted',
  problems: [`tidegate: ${run} is abandoned, but something of it could not be ended: tidegate why ${run}`],
  data: { run },
});
