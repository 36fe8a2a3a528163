import type { Stored } from '../../src/ports/ledger.ts';
import type { Violation } from './checker.ts';
import { all } from './events-found.ts';

/**
 * Holds all runs of a repository together: of those whose landing waits for the machine only, the one that waits longest goes
 * first, and no two move one branch at once. A yes that came before a refusal moves nothing, and a run that was given up begins no move.
 */
export function checkQueue(stored: readonly Stored[]): readonly Violation[] {
  const branches = new Map(all(stored, 'run-created').map(({ event }) => [`${event.run}`, event.target.branch]));
  const queued = new Map<string, { seq: number; stream: string; branch: string }>();
  const moving = new Map<string, string>();
  const standing = new Map<string, 'active' | 'stands'>();
  const isVoid = new Set<string>();
  const givenUp = new Set<string>();
  const found: Violation[] = [];
  for (const { seq, stream, event } of stored) {
    const branch = branches.get(stream) ?? '';
    const say = (what: string): number => found.push({ invariant: 'I4', seq, what });
    if (event.type === 'run-abandoned') givenUp.add(stream);
    if (beginsMove.has(event.type) && givenUp.has(stream)) say(`${event.type} after the run was given up`);
    switch (event.type) {
      case 'landing-queued':
        queued.set(stream, { seq, stream, branch });
        break;
      case 'target-observed': {
        const mine = queued.get(stream);
        if (mine === undefined) break;
        const earlier = [...queued.values()].find(
          (one) => one.branch === branch && one.seq < mine.seq && standing.get(one.stream) !== 'stands',
        );
        if (earlier !== undefined) say(`${stream} goes ahead of ${earlier.stream}, which waits longer for ${branch}`);
        queued.delete(stream);
        break;
      }
      case 'landing-intended':
      case 'undo-intended': {
        const other = moving.get(event.branch);
        if (other !== undefined && other !== stream) say(`${stream} and ${other} move ${event.branch} at once`);
        if (event.type === 'landing-intended' && isVoid.has(stream)) say('a landing that was refused had no new yes');
        moving.set(event.branch, stream);
        break;
      }
      case 'landed':
      case 'undone':
      case 'undo-refused':
      case 'landing-refused':
        for (const [name, mover] of moving) if (mover === stream) moving.delete(name);
        queued.delete(stream);
        if (event.type === 'landing-refused') isVoid.add(stream);
        break;
      case 'tap-decided':
        if (event.tap === 'land' && event.decision === 'approved') isVoid.delete(stream);
        break;
      case 'plan-replaced':
        // another version is approved anew as a whole
        isVoid.delete(stream);
        queued.delete(stream);
        break;
      case 'run-ended':
      case 'wave-closed':
        queued.delete(stream);
        break;
      case 'run-paused':
      case 'run-stopped':
      case 'run-halted':
      case 'run-abandoned':
        standing.set(stream, 'stands');
        break;
      case 'run-resumed':
        standing.set(stream, 'active');
        break;
    }
  }
  return found;
}

const beginsMove: ReadonlySet<string> = new Set([
  'landing-intended',
  'merge-intended',
  'push-intended',
  'pull-request-intended',
]);
