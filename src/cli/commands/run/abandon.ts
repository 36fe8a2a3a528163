import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import { followRun, ticker } from '../../follow/follow.ts';
import { actOn } from '../../frame/act.ts';
import { aRun, command, exitCodes, type Outcome } from '../../frame/command.ts';
import { resolveWholeRun } from '../../frame/subject.ts';

export const abandonCommand = command({
  name: 'abandon',
  group: 'run',
  summary: 'end a run for good, in any state, and keep its work',
  arguments: { run: aRun },
  changes: ({ run }, repo) => abandon(repo, run),
});

async function abandon(repo: RepositoryHandle, typed: string | undefined): Promise<Outcome> {
  const subject = await resolveWholeRun(repo, 'abandon', typed);
  if (!subject.ok) return subject.error;
  const { run } = subject.value;
  // an earlier halt does not count: abandoning resumes the run
  let isHalted = false;
  await using following = await followRun(repo, run, ({ event }, isNew) => {
    if (isNew && event.type === 'run-halted') isHalted = true;
    if (event.type === 'run-resumed') isHalted = false;
  });
  using ticks = ticker(1000);
  const outcome = await actOn(repo, { action: 'abandon', subject: subject.value, input: {} });
  if (outcome.exit !== exitCodes.done || subject.value.state.ended !== null) return outcome;
  for (;;) {
    const state = (await following.view())?.state;
    if (state?.ended !== undefined && state.ended !== null) return outcome;
    if (isHalted) return halted(run);
    await Promise.race([following.changed(), ticks.next()]);
    // if the coordinator died meanwhile, another one continues
    await repo.ensureCoordinator();
  }
}

const halted = (run: string): Outcome => ({
  exit: exitCodes.personNeeded,
  reason: 'halted',
  problems: [`tidegate: ${run} is abandoned, but part of it could not be ended. See: tidegate why ${run}`],
  data: { run },
});
