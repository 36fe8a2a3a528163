import { err, ok } from '../../domain/base/result.ts';
import { recordsOf } from '../../domain/board/board.ts';
import { outlivedRecords } from '../../domain/repository/repository-board.ts';
import { readRepository } from '../../engine/orders/find-run.ts';
import { prepareReplan } from '../../engine/orders/replan-run.ts';
import type { boardRoutes } from '../../protocol/routes/board.ts';
import type { commandRoutes } from '../../protocol/routes/commands.ts';
import { recordDocument } from '../../view/board-lines.ts';
import { currentLiveRuns, findRepositoryAt, findRun } from '../find.ts';
import { onRepository, onRun, onTask, onWholeRun, performFor, routeActions, routeSubject } from '../perform.ts';
import { dryRun, lint, order, problemOf } from '../plans.ts';
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
  resolve: onRun(routeActions.resolve),
  relaunch: onRun(routeActions.relaunch),
  revokeProof: onRun(routeActions.revokeProof),
  prove: ({ params, body }, site) => {
    const artifacts = body.artifacts.map((artifact) => ({ kind: 'url', ...artifact }) as const);
    return onTask(routeActions.prove)({ params, body: { ...body, artifacts } }, site);
  },
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
    const [retry, switchAgent] = routeActions.retry;
    return agent === undefined
      ? await onTask([retry])({ params, body: {} }, site)
      : await onTask([switchAgent])({ params, body: { agent } }, site);
  },
  replan: async ({ params }, site) => {
    const run = await findRun(site, params);
    if (!run.ok) return run;
    const { repository } = run.value;
    const prepared = await prepareReplan(repository.repo, run.value);
    if (!prepared.ok) return err(problemOf(prepared.error));
    const [action] = routeActions.replan;
    return await performFor(site, repository, { action, subject: routeSubject(run.value), input: prepared.value });
  },
};

export const boardHandlers: Handlers<typeof boardRoutes> = {
  board: async ({ params, query }, site) => {
    const run = await findRun(site, params, query.at);
    return run.ok ? ok({ items: recordsOf(run.value.state).map(recordDocument) }) : run;
  },
  post: onWholeRun(routeActions.post),
  answerRecord: ({ params, body: { text } }, site) =>
    onRun(routeActions.answerRecord)({ params, body: { record: params.record, text } }, site),
  actOnRecord: ({ params, body }, site) =>
    onRun(routeActions.actOnRecord)({ params, body: { record: params.record, ...body } }, site),
  boardAbove: async ({ params }, site) => {
    const repository = await findRepositoryAt(site, params.repository);
    if (!repository.ok) return repository;
    const runs = await currentLiveRuns(repository.value, site.now().toISOString());
    const outlived = outlivedRecords(runs.flatMap(({ state }) => state ?? []));
    return ok({
      items: recordsOf(await readRepository(repository.value.repo.ledger)).map(recordDocument),
      outlived: outlived.map(({ run, record }) => ({ run, ...recordDocument(record) })),
    });
  },
  postAbove: onRepository(routeActions.postAbove),
  answerRecordAbove: ({ params: { record, ...params }, body: { text } }, site) =>
    onRepository(routeActions.answerRecordAbove)({ params, body: { record, text } }, site),
  actOnRecordAbove: ({ params: { record, ...params }, body }, site) =>
    onRepository(routeActions.actOnRecordAbove)({ params, body: { record, ...body } }, site),
};
