import { ok } from '../../domain/base/result.ts';
import { recordsOf } from '../../domain/board/board.ts';
import type { boardRoutes } from '../../protocol/routes/board.ts';
import { recordDocument } from '../../view/board-lines.ts';
import { runAt } from '../found.ts';
import { onRun, onWholeRun } from '../perform-on.ts';
import { routeActions } from '../route-actions.ts';
import type { Handlers } from '../site.ts';

export const boardHandlers: Handlers<typeof boardRoutes> = {
  board: async ({ params, query }, site) => {
    const found = await runAt(site, params, query.at);
    return found.ok ? ok({ items: recordsOf(found.value.state).map(recordDocument) }) : found;
  },
  post: onWholeRun(routeActions.post),
  answerRecord: ({ params, body: { text } }, site) =>
    onRun(routeActions.answerRecord)({ params, body: { record: params.record, text } }, site),
};
