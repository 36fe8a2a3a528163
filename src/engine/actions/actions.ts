import { abandonAction } from './abandon.ts';
import { acceptAction } from './accept.ts';
import type { Action, ActionTerms } from './action.ts';
import { answerAction } from './answer.ts';
import { approveAction } from './approve.ts';
import { discardAction } from './discard.ts';
import { dropAction } from './drop.ts';
import { editAction } from './edit.ts';
import { editLandingAction } from './edit-landing.ts';
import { grantAction } from './grant.ts';
import { holdAction } from './hold.ts';
import { landAction } from './land.ts';
import { orderAction } from './order.ts';
import { pauseAction } from './pause.ts';
import { postAction } from './post.ts';
import { raiseAction } from './raise.ts';
import { rejectAction } from './reject.ts';
import { replanAction } from './replan.ts';
import { resumeAction } from './resume.ts';
import { retryAction } from './retry.ts';
import { reworkAction } from './rework.ts';
import { sendAction } from './send.ts';
import { stopAction } from './stop.ts';
import { switchAgentAction } from './switch-agent.ts';
import { undoAction } from './undo.ts';

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
