import { type Need, type NeedKind, needsOf } from './needs.ts';
import type { RunState } from './run.ts';

/** That a person is needed, told once to wherever they are. */
export type Notice = Need & {
  readonly run: string;
  /** The same for the same item, however its wording changes meanwhile. */
  readonly item: string;
};

/** What people did themselves is no news to them. */
const isNews: Readonly<Record<NeedKind, boolean>> = {
  approve: true,
  land: true,
  held: true,
  failed: true,
  blocked: true,
  launch: true,
  paused: false,
  stopped: false,
  halted: true,
  disk: true,
  login: true,
  budget: true,
  scope: true,
  question: true,
  landing: true,
};

/**
 * What has to be told, and which of the items told before are still open. An item that is over is forgotten: when it comes
 * again, it is news again.
 */
export function dueNotices(
  runs: readonly RunState[],
  told: readonly string[],
): { readonly due: readonly Notice[]; readonly stillOpen: readonly string[] } {
  const open = runs.flatMap((run) => needsOf(run).flatMap((need) => (isNews[need.kind] ? [noticeOf(run, need)] : [])));
  const items = new Map(open.map((notice) => [notice.item, notice]));
  return {
    due: [...items.values()].filter(({ item }) => !told.includes(item)),
    stillOpen: told.filter((item) => items.has(item)),
  };
}

const noticeOf = ({ run }: RunState, need: Need): Notice => ({
  ...need,
  run,
  item: [run, need.kind, need.task ?? '', ...(need.record === undefined ? [] : [need.record])].join(' '),
});
