import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ChainLink, walkChain } from '../../../domain/ledger/chain.ts';
import { LedgerDamaged, type Verification } from '../../../ports/ledger.ts';
import { sha256 } from '../chain.ts';
import { guarded } from './errors.ts';
import type { HeadFile, Rows } from './open.ts';

/** Walks the whole chain and holds it against the head that was known before; then lets SQLite check its own structure. */
export async function verifyLedger(
  file: string,
  rows: Rows,
  headFile: HeadFile,
  /** Called with each record that was found right. */
  accepted: (link: ChainLink) => void = () => undefined,
): Promise<Verification> {
  const head = guarded(file, () => (headFile.exists() ? headFile.read() : null));
  if (head === null) return { ok: false, seq: null, problem: `its head ${headFile.path} is missing or unreadable` };
  const walk = walkChain(sha256);
  for (;;) {
    const { seq } = walk.tip();
    const links = readable(() => guarded(file, () => rows.after(seq, chunk)));
    if (!links.ok) return { ok: false, seq: seq + 1, problem: links.problem };
    for (const link of links.value) {
      const problem = walk.step(link);
      if (problem !== null) return { ok: false, seq: walk.tip().seq + 1, problem };
      if (link.seq === head.seq && link.hash !== head.hash)
        return { ok: false, seq: link.seq, problem: 'it is not the event that the head names' };
      accepted(link);
    }
    if (links.value.length < chunk) break;
    await nextTurn();
  }
  const { seq: events, hash } = walk.tip();
  if (events < head.seq)
    return { ok: false, seq: events + 1, problem: `the ledger ends at seq ${events}, but its head is at ${head.seq}` };
  const rest = readable(() => guarded(file, () => structureProblem(rows, Math.max(head.epoch, walk.epoch()))));
  const problem = rest.ok ? rest.value : rest.problem;
  return problem === null ? { ok: true, events, head: hash } : { ok: false, seq: null, problem };
}

const chunk = 2000;

function structureProblem(rows: Rows, leastEpoch: number): string | null {
  const { epoch } = rows.epoch();
  if (epoch < leastEpoch) return `its epoch is ${epoch}, but ${leastEpoch} was taken before`;
  return rows.integrityProblem();
}

/** Damage is what a verification is there to report. */
function readable<T>(read: () => T): { ok: true; value: T } | { ok: false; problem: string } {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (error instanceof LedgerDamaged) return { ok: false, problem: error.problem };
    throw error;
  }
}
