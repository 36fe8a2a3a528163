import { knownRuns } from '../../engine/orders/find-run.ts';
import { isAtRest } from '../../engine/orders/rehearse.ts';
import type { Hosting, RepositoryHandle } from '../../ports/repository-handle.ts';
import { type Context, done, exitCodes, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import { withRepository } from '../frame/with-repository.ts';
import { ticker } from './foreground.ts';

/** `tidegate coordinate`: the coordinator in the background. Ends when no run can go on without a person. */
export const coordinateRuns = (_input: object, context: Context, { ports }: Program): Promise<Outcome> =>
  withRepository(ports.openRepository, context, 'act', async (repo) => {
    const left = Promise.withResolvers<'left'>();
    using _signals = context.onSignal((signal) => {
      // it has no terminal of its own to lose
      if (signal !== 'SIGHUP') left.resolve('left');
    });
    const hosting = await repo.host();
    if (hosting.role === 'guest') return done([], { outcome: 'held' });
    try {
      return await untilIdle(repo, hosting, left.promise);
    } finally {
      await hosting.stop('nothing');
    }
  });

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

/** Something is due, or a start waits for approval: then a marker may still come, and the time to answer may run out. */
async function isNeeded(repo: RepositoryHandle): Promise<boolean> {
  const given = { now: repo.clock.now(), nonce: () => '' };
  return (await knownRuns(repo.ledger)).some(
    ({ state }) => state === null || !isAtRest(state, given) || (state.ended === null && waitsForStart(state.taps)),
  );
}

const waitsForStart = (taps: Readonly<Record<string, { readonly status: string } | undefined>>): boolean =>
  Object.entries(taps).some(([name, tap]) => name !== 'land' && (tap?.status === 'pending' || tap?.status === 'held'));
