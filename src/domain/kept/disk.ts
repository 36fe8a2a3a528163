import type { RunId, TaskId } from '../base/ids.ts';
import type { Finding } from '../findings/finding.ts';
import { policy } from '../settings/policy.ts';

/** Bytes that the workspaces and kept products of a repository may use, and that must stay free on their disk. */
export type DiskLimits = { readonly cap: number; readonly free: number };

/** Something on the disk that could be done without. */
export type Holding =
  | {
      readonly kind: 'workspace';
      readonly id: string;
      readonly bytes: number;
      readonly usedAt: number;
      /** Its supervisor has left an exit record: nothing writes there any more. */
      readonly over: boolean;
    }
  | { readonly kind: 'product'; readonly id: string; readonly bytes: number; readonly usedAt: number }
  /** Objects of a commit that no workspace borrows. Those that one does are not ours to count: they are its repository. */
  | { readonly kind: 'store'; readonly id: string; readonly bytes: number; readonly usedAt: number }
  /** Content of the proofs of a job. `over` as of a workspace. Only `tidegate clean` removes it. */
  | {
      readonly kind: 'evidence';
      readonly id: string;
      readonly bytes: number;
      readonly usedAt: number;
      readonly over: boolean;
    }
  /** Files of the proofs that people gave to a run. Only `tidegate clean` removes them. */
  | { readonly kind: 'proofs'; readonly id: string; readonly bytes: number; readonly usedAt: number }
  | {
      /** A copy of a snapshot for a person's shell or editor: nothing in it counts. */
      readonly kind: 'copy';
      readonly id: string;
      readonly bytes: number;
      readonly usedAt: number;
      /** The command that made it has ended. */
      readonly over: boolean;
    }
  | {
      /** A person's edits by hand that are not handed in: never removed by us. */
      readonly kind: 'edit';
      readonly id: string;
      readonly bytes: number;
      readonly usedAt: number;
      readonly over: false;
    };

/** Why no attempt may start. */
export type Shortage = { readonly because: Finding };

/**
 * Returns what to remove so that both limits hold: copies that nobody looks at; workspaces that nothing needs, those that ended longest ago first; then stores
 * and products, which can be made again, those not used for longest first. A workspace that `isNeeded` is never among them (I7).
 */
export function toRemove(
  holdings: readonly Holding[],
  free: number,
  limits: DiskLimits,
  isNeeded: (workspace: Holding & { readonly kind: 'workspace' }) => boolean,
): readonly Holding[] {
  let excess = Math.max(totalOf(holdings) - limits.cap, limits.free - free);
  const chosen: Holding[] = [];
  const isUsed = (holding: Holding): boolean =>
    holding.kind === 'workspace'
      ? isNeeded(holding)
      : holding.kind === 'evidence' || holding.kind === 'proofs' || ('over' in holding && !holding.over);
  const spare = holdings.filter((holding) => holding.bytes > 0 && !isUsed(holding));
  for (const holding of spare.toSorted((a, b) => rank(a) - rank(b) || a.usedAt - b.usedAt)) {
    if (excess <= 0) break;
    chosen.push(holding);
    excess -= holding.bytes;
  }
  return chosen;
}

/** The largest file that takes room and that nothing but a person may remove. */
export type LargestKept = {
  readonly run: RunId;
  readonly task: TaskId;
  readonly path: string;
  readonly bytes: number;
};

export function shortageOf(
  room: {
    readonly used: number;
    readonly free: number;
    readonly memory: number;
    readonly largest?: LargestKept | null;
  },
  limits: DiskLimits,
): Shortage | null {
  const { used, free, memory } = room;
  if (memory < policy.leastMemory) return { because: { rule: 'memory-short', free: memory } };
  const largest = room.largest == null ? {} : { largest: room.largest };
  if (free < limits.free) return { because: { rule: 'disk-short', free, least: limits.free, ...largest } };
  if (used > limits.cap) return { because: { rule: 'disk-over-cap', used, cap: limits.cap, ...largest } };
  return null;
}

export const totalOf = (holdings: readonly Holding[]): number => holdings.reduce((sum, { bytes }) => sum + bytes, 0);

const rank = ({ kind }: Holding): number => ['copy', 'workspace', 'store', 'product'].indexOf(kind);

/** `500MB`, `20GB`: thousands, as disks are sold. */
export const sizePattern = /^[0-9]{1,6}(MB|GB|TB)$/;
export function sizeBytes(text: string): number {
  const unit = { MB: 1e6, GB: 1e9, TB: 1e12 }[text.slice(-2)];
  if (unit === undefined || !sizePattern.test(text)) throw new Error(`Not a size: ${text}`);
  return Number(text.slice(0, -2)) * unit;
}

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const unit = bytes < 1e6 ? { of: 1e3, name: 'KB' } : bytes < 1e9 ? { of: 1e6, name: 'MB' } : { of: 1e9, name: 'GB' };
  return `${(bytes / unit.of).toFixed(1)} ${unit.name}`;
}
