import type { Action, SubjectKind, Terms } from './action.ts';
import { answer } from './answer.ts';
import { approve } from './approve.ts';
import { drop } from './drop.ts';
import { grant } from './grant.ts';
import { hold } from './hold.ts';
import { land } from './land.ts';
import { order } from './order.ts';
import { pause } from './pause.ts';
import { post } from './post.ts';
import { raise } from './raise.ts';
import { reject } from './reject.ts';
import { replan } from './replan.ts';
import { resume } from './resume.ts';
import { retry } from './retry.ts';
import { rework } from './rework.ts';
import { send } from './send.ts';
import { stop } from './stop.ts';
import { switchAgent } from './switch-agent.ts';
import { undo } from './undo.ts';

const all = {
  approve,
  reject,
  hold,
  grant,
  drop,
  retry,
  'switch-agent': switchAgent,
  rework,
  send,
  post,
  answer,
  raise,
  pause,
  resume,
  replan,
  stop,
  land,
  undo,
} as const;

export type ActionName = keyof typeof all;
export type ActionKinds = { readonly [N in ActionName]: (typeof all)[N]['on'] };
export type ActionInputs = { readonly [N in ActionName]: Parameters<(typeof all)[N]['request']>[1] };

/** Every action on a run, by name. */
export const actions: { readonly [N in ActionName]: Action<ActionKinds[N] & SubjectKind, ActionInputs[N]> } = all;

/** The terms of everything that can be asked for. */
export const allTerms: readonly Terms[] = [order, ...Object.values(all)];
