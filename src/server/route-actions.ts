import { actions } from '../engine/actions/actions.ts';
import { orderAction } from '../engine/actions/perform.ts';

/** The actions that each route performs, by the id of the route. */
export const routeActions = {
  order: [orderAction],
  approve: [actions.approve],
  reject: [actions.reject],
  hold: [actions.hold],
  pause: [actions.pause],
  resume: [actions.resume],
  replan: [actions.replan],
  stop: [actions.stop],
  abandon: [actions.abandon],
  land: [actions.land],
  undo: [actions.undo],
  raise: [actions.raise],
  grant: [actions.grant],
  drop: [actions.drop],
  discard: [actions.discard],
  retry: [actions.retry, actions['switch-agent']],
  rework: [actions.rework],
  accept: [actions.accept],
  send: [actions.send],
  raiseTask: [actions.raise],
  undoTask: [actions.undo],
  post: [actions.post],
  answerRecord: [actions.answer],
} as const;
