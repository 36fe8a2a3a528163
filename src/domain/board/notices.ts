import { type Need, type NeedKind, needsOf } from '../explain/needs.ts';
import type { Advice } from '../explain/text.ts';
import type { Offer } from '../landing/pull-request.ts';
import type { RunState } from '../run/run.ts';
import type { NewsKind } from '../settings/settings.ts';
import type { News } from './news.ts';

/** That a person is needed, or that a run has ended; told once to wherever they are. */
export type Notice = News &
  Advice & {
    readonly news: NewsKind;
    readonly kind: NeedKind | 'ended';
    readonly run: string;
    readonly task: string | null;
    /** When it came, as far as that is known. */
    readonly since?: string;
  };

/** What a webhook gets. */
export type WebhookEvent = Pick<Notice, 'news' | 'run' | 'task' | 'kind' | 'message' | 'safe' | 'command'> & {
  readonly schema: 'tidegate.webhook/1';
  /** Of this item; the same each time that its delivery is tried. */
  readonly id: string;
  /** When it was first tried. */
  readonly at: string;
  /** The name of the checkout. */
  readonly repository: string;
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

/** All that there is to tell of a run now. */
export const noticesOf = (state: RunState): readonly Notice[] => [
  ...needsOf(state).flatMap((need) => (isNews[need.kind] ? [noticeOf(state, need)] : [])),
  ...endingOf(state),
];

const noticeOf = ({ run }: RunState, need: Need): Notice => ({
  ...need,
  news: need.kind === 'failed' ? 'failed' : 'needs-you',
  run,
  item: [run, need.kind, need.task ?? '', ...(need.record === undefined ? [] : [need.record])].join(' '),
  lasting: false,
});

const offered = (run: string, { branch, pushed, url }: Offer): Advice => ({
  message: url === null ? `${branch} is pushed to ${pushed.remote}` : `pull request: ${url}`,
  safe: 'your branch is as it was',
  command: `tidegate show ${run}`,
});

function endingOf({ run, ended, target, hash, landing }: RunState): readonly Notice[] {
  // who gave it up knows
  if (ended === null || ended === 'rejected' || ended === 'abandoned') return [];
  const isOffered = landing.status === 'offered';
  const told = {
    landed: {
      message: `landed on ${target.branch}`,
      safe: 'tidegate undo takes it back',
      command: `tidegate show ${run}`,
    },
    done: isOffered
      ? offered(run, landing)
      : { message: 'done', safe: 'its work is on the run branch', command: `tidegate show ${run}` },
    failed: { message: 'ended without a result', safe: 'your branch is as it was', command: `tidegate why ${run}` },
  }[ended];
  const news = ended === 'failed' ? 'failed' : 'done';
  const item = [run, 'ended', ended, hash.slice(0, 12)].join(' ');
  return [{ ...told, news, kind: 'ended', run, task: null, item, lasting: true }];
}
