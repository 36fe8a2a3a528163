import { err } from '../../domain/base/result.ts';
import { prepareReplan } from '../../engine/orders/replan-run.ts';
import type { commandRoutes } from '../../protocol/routes/commands.ts';
import { runAt } from '../found.ts';
import { performFor } from '../perform-for.ts';
import { onRun, onTask, onWholeRun, routeSubject } from '../perform-on.ts';
import { dryRun, lint, order, problemOf } from '../plans.ts';
import { routeActions } from '../route-actions.ts';
import type { Handlers } from '../site.ts';

export const commandHandlers: Handlers<typeof commandRoutes> = {
  lint,
  dryRun,
  order,
  approve: onRun(routeActions.approve),
  reject: onRun(routeActions.reject),
  hold: onRun(routeActions.hold),
  pause: onRun(routeActions.pause),
  resume: onRun(routeActions.resume),
  stop: onRun(routeActions.stop),
  abandon: onRun(routeActions.abandon),
  land: onRun(routeActions.land),
  undo: onWholeRun(routeActions.undo),
  raise: onWholeRun(routeActions.raise),
  grant: onTask(routeActions.grant),
  drop: onTask(routeActions.drop),
  discard: onTask(routeActions.discard),
  rework: onTask(routeActions.rework),
  accept: onTask(routeActions.accept),
  send: onTask(routeActions.send),
  raiseTask: onTask(routeActions.raiseTask),
  undoTask: onTask(routeActions.undoTask),
  retry: async ({ params, body: { agent } }, site) => {
    const [again, byOther] = routeActions.retry;
    return agent === undefined
      ? await onTask([again])({ params, body: {} }, site)
      : await onTask([byOther])({ params, body: { agent } }, site);
  },
  replan: async ({ params }, site) => {
    const found = await runAt(site, params);
    if (!found.ok) return found;
    const { repository } = found.value;
    const prepared = await prepareReplan(repository.repo, found.value);
    if (!prepared.ok) return err(problemOf(prepared.error));
    const [action] = routeActions.replan;
    return await performFor(site, repository, { action, subject: routeSubject(found.value), input: prepared.value });
  },
};
