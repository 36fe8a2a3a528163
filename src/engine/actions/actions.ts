import type { Action, ActionTerms } from './action.ts';
import { answerAction } from './answer.ts';
import { postAction } from './post.ts';
import { abandonAction } from './run/abandon.ts';
import { approveAction } from './run/approve.ts';
import { editLandingAction } from './run/edit-landing.ts';
import { holdAction } from './run/hold.ts';
import { landAction } from './run/land.ts';
import { orderAction } from './run/order.ts';
import { pauseAction } from './run/pause.ts';
import { rejectAction } from './run/reject.ts';
import { replanAction } from './run/replan.ts';
import { resumeAction } from './run/resume.ts';
import { stopAction } from './run/stop.ts';
import { undoAction } from './run/undo.ts';
import { acceptAction } from './task/accept.ts';
import { discardAction } from './task/discard.ts';
import { dropAction } from './task/drop.ts';
import { editAction } from './task/edit.ts';
import { grantAction } from './task/grant.ts';
import { raiseAction } from './task/raise.ts';
import { retryAction } from './task/retry.ts';
import { reworkAction } from './task/rework.ts';
import { sendAction } from './task/send.ts';
import { switchAgentAction } from './task/switch-agent.ts';

const all = {
  approve: approveAction,
  reject: rejectAction,
  hold: holdAction,
  grant: grantAction,
  drop: dropAction,
  discard: discardAction,
  retry: retryAction,
  'switch-agent': switchAgentAction,
  rework: reworkAction,
  accept: acceptAction,
  edit: editAction,
  'edit-landing': editLandingAction,
  send: sendAction,
  post: postAction,
  answer: answerAction,
  raise: raiseAction,
  pause: pauseAction,
  resume: resumeAction,
  replan: replanAction,
  stop: stopAction,
  abandon: abandonAction,
  land: landAction,
  undo: undoAction,
} as const;

export type ActionName = keyof typeof all;
export type ActionKinds = { readonly [N in ActionName]: (typeof all)[N]['on'] };
export type ActionInputs = { readonly [N in ActionName]: Parameters<(typeof all)[N]['request']>[1] };

/** Every action on a run, by name. */
export const actions: { readonly [N in ActionName]: Action<ActionKinds[N], ActionInputs[N]> } = all;

/** The terms of everything that can be asked for. */
export const allTerms: readonly ActionTerms[] = [orderAction, ...Object.values(all)];
