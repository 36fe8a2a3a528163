import { answer } from '../engine/actions/answer.ts';
import { approve } from '../engine/actions/approve.ts';
import { drop } from '../engine/actions/drop.ts';
import { grant } from '../engine/actions/grant.ts';
import { hold } from '../engine/actions/hold.ts';
import { land } from '../engine/actions/land.ts';
import { order } from '../engine/actions/order.ts';
import { pause } from '../engine/actions/pause.ts';
import { post } from '../engine/actions/post.ts';
import { raise } from '../engine/actions/raise.ts';
import { reject } from '../engine/actions/reject.ts';
import { replan } from '../engine/actions/replan.ts';
import { resume } from '../engine/actions/resume.ts';
import { retry } from '../engine/actions/retry.ts';
import { rework } from '../engine/actions/rework.ts';
import { send } from '../engine/actions/send.ts';
import { stop } from '../engine/actions/stop.ts';
import { switchAgent } from '../engine/actions/switch-agent.ts';
import { undo } from '../engine/actions/undo.ts';

/** The actions that each route performs, by the id of the route. */
export const routeActions = {
  order: [order],
  approve: [approve],
  reject: [reject],
  hold: [hold],
  pause: [pause],
  resume: [resume],
  replan: [replan],
  stop: [stop],
  land: [land],
  undo: [undo],
  raise: [raise],
  grant: [grant],
  drop: [drop],
  retry: [retry, switchAgent],
  rework: [rework],
  send: [send],
  raiseTask: [raise],
  undoTask: [undo],
  post: [post],
  answerRecord: [answer],
} as const;
