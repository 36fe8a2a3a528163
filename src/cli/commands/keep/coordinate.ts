import { isAtRest } from '../../../engine/orders/create-run.ts';
import { knownRuns } from '../../../engine/orders/find-run.ts';
import type { Hosting, RepositoryHandle } from '../../../ports/repository-handle.ts';
import { ticker } from '../../follow/follow.ts';
import { command, done, exitCodes, type Outcome } from '../../frame/command.ts';
import { withRepository } from '../../frame/subject.ts';

export const coordinateCommand = command({
  name: 'coordinate',
  group: 'keep',
  summary: 'drive the runs of this repository; other commands start it',
  hidden: true,
  run: (_input, context, { ports }) =>
    withRepository(ports.openRepository, context, 'act', async (repo) => {
      const left = Promise.withResolvers<'left'>();
      using _signals = context.onSignal((signal) => {
        // it has no terminal to lose
        if (signal !== 'SIGHUP') left.resolve('left');
      });
      const hosting = await repo.host();
      if (hosting.role === 'guest') return done([], { outcome: 'held' });
      try {
        return await untilIdle(repo, hosting, left.promise);
      } finally {
        await hosting.stop('nothing');
      }
    }),
});

/** Returns when no run can continue without a person. */
async function untilIdle(repo: RepositoryHandle, hosting: Hosting, left: Promise<'left'>): Promise<Outcome> {
  using ticks = ticker(1000);
  for (;;) {
    const woken = await Promise.race([hosting.idle(), left]);
    if (woken === 'left') return { exit: exitCodes.interrupted, reason: 'interrupted' };
    if (!(await isNeeded(repo))) return done([], { outcome: 'idle' });
    if ((await Promise.race([ticks.next(), left])) === 'left')
      return { exit: exitCodes.interrupted, reason: 'interrupted' };
  }
}

/** True while something is due or a start waits for approval: a marker may still come, and the time to answer may run out. */
async function isNeeded(repo: RepositoryHandle): Promise<boolean> {
  const time = { now: repo.clock.now(), nonce: () => '' };
  return (await knownRuns(repo.ledger)).some(
    ({ state }) => state === null || !isAtRest(state, time) || (state.ended === null && waitsForStart(state.taps)),
  );
}

const waitsForStart = (taps: Readonly<Record<string, { readonly status: string } | undefined>>): boolean =>
  Object.entries(taps).some(([name, tap]) => name !== 'land' && (tap?.status === 'pending' || tap?.status === 'held'));
