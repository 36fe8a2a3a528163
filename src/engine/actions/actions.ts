import type { Action, ActionTerms } from './action.ts';
import {
  addBranchDependencyAction,
  addDependencyAction,
  endBranchDependencyAction,
  endDependencyAction,
} from './dependency-actions.ts';
import {
  answerAboveAction,
  answerAction,
  postAboveAction,
  postAction,
  recordAboveAction,
  recordAction,
  resolveAction,
  sendAction,
} from './message-actions.ts';
import { orderAction } from './perform.ts';
import { proveAction, revokeProofAction } from './proof-actions.ts';
import { relaunchAction } from './relaunch-action.ts';
import {
  abandonAction,
  approveAction,
  editLandingAction,
  holdAction,
  landAction,
  pauseAction,
  raiseAction,
  rejectAction,
  replanAction,
  resumeAction,
  stopAction,
  undoAction,
} from './run-actions.ts';
import {
  acceptAction,
  discardAction,
  dropAction,
  editAction,
  grantAction,
  retryAction,
  reworkAction,
  switchAgentAction,
} from './task-actions.ts';

const all = {
  approve: approveAction,
  reject: rejectAction,
  hold: holdAction,
  grant: grantAction,
  drop: dropAction,
  discard: discardAction,
  retry: retryAction,
  'switch-agent': switchAgentAction,
  relaunch: relaunchAction,
  rework: reworkAction,
  accept: acceptAction,
  edit: editAction,
  'edit-landing': editLandingAction,
  send: sendAction,
  post: postAction,
  answer: answerAction,
  record: recordAction,
  'post-above': postAboveAction,
  'answer-above': answerAboveAction,
  'record-above': recordAboveAction,
  resolve: resolveAction,
  prove: proveAction,
  'revoke-proof': revokeProofAction,
  'add-dependency': addDependencyAction,
  'end-dependency': endDependencyAction,
  'add-branch-dependency': addBranchDependencyAction,
  'end-branch-dependency': endBranchDependencyAction,
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

/** Every action, by name. */
export const actions: { readonly [N in ActionName]: Action<ActionKinds[N], ActionInputs[N]> } = all;

/** The terms of all actions, `order` included. */
export const allTerms: readonly ActionTerms[] = [orderAction, ...Object.values(all)];
