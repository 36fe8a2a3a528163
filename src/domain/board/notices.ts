import type { Advice } from '../explain/advice.ts';
import { type Need, type NeedKind, needsOf } from '../explain/needs.ts';
import type { Offer } from '../landing/pull-request.ts';
import type { RunState } from '../run/run.ts';
import type { NewsKind } from '../settings/settings.ts';
import type { Update } from './updates.ts';

/** Says once that a person is needed, or that a run has ended. */
export type Notice = Update &
  Advice & {
    readonly news: NewsKind;
    readonly kind: NeedKind | 'ended';
    readonly run: string;
    readonly task: string | null;
    /** The time when it came, if known. */
    readonly since?: string;
  };

/** The body of a webhook request. */
export type WebhookEvent = Pick<Notice, 'news' | 'run' | 'task' | 'kind' | 'message' | 'safe' | 'command'> & {
  readonly schema: 'tidegate.webhook/1';
  /** Identifies the item; the same for every try of its delivery. */
  readonly id: string;
  /** The time of the first try. */
  readonly at: string;
  /** The name of the checkout. */
  readonly repository: string;
};

/** People need no notice of what they did themselves. */
const isAnnounced: Readonly<Record<NeedKind, boolean>> = {
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

/** Returns all open notices of a run. */
export const noticesOf = (state: RunState): readonly Notice[] => [
  ...needsOf(state).flatMap((need) => (isAnnounced[need.kind] ? [noticeOf(state, need)] : [])),
  ...endingOf(state),
];

const noticeOf = ({ run }: RunState, need: Need): Notice => ({
  ...need,
  news: need.kind === 'failed' ? 'failed' : 'needs-you',
  run,
  item: [run, need.kind, need.task ?? '', ...(need.record === undefined ? [] : [need.record])].join(' '),
  lasting: false,
});

const offerAdvice = (run: string, { branch, pushed, url }: Offer): Advice => ({
  message: url === null ? `${branch} is pushed to ${pushed.remote}` : `pull request: ${url}`,
  safe: 'your branch is unchanged',
  command: `tidegate show ${run}`,
});

function endingOf({ run, ended, target, hash, landing }: RunState): readonly Notice[] {
  // the person who ended it needs no notice
  if (ended === null || ended === 'rejected' || ended === 'abandoned') return [];
  const isOffered = landing.status === 'offered';
  const advice = {
    landed: {
      message: `landed on ${target.branch}`,
      safe: 'tidegate undo reverts it',
      command: `tidegate show ${run}`,
    },
    done: isOffered
      ? offerAdvice(run, landing)
      : { message: 'done', safe: 'its work is on the run branch', command: `tidegate show ${run}` },
    failed: { message: 'ended without a result', safe: 'your branch is unchanged', command: `tidegate why ${run}` },
  }[ended];
  const news = ended === 'failed' ? 'failed' : 'done';
  const item = [run, 'ended', ended, hash.slice(0, 12)].join(' ');
  return [{ ...advice, news, kind: 'ended', run, task: null, item, lasting: true }];
}
