import { targetNamed } from '../../domain/board-requests.ts';
import type { RequestEvent } from '../../domain/events.ts';
import { ok, type Result } from '../../domain/result.ts';
import type { Problem } from '../../protocol/problem.ts';
import type { boardRoutes } from '../../protocol/routes/board.ts';
import { recordDocument } from '../../view/board-lines.ts';
import { type Accepted, command } from '../command.ts';
import { runAt } from '../found.ts';
import type { Handlers, Site } from '../site.ts';

export const boardHandlers: Handlers<typeof boardRoutes> = {
  board: async ({ params, query }, site) => {
    const found = await runAt(site, params, query.at);
    return found.ok ? ok({ items: found.value.state.board.map(recordDocument) }) : found;
  },
  post: ({ params, body: { kind, target, text } }, site) =>
    asked(params, site, { type: 'requested-post', kind, target: targetNamed(target), text, by: site.caller.by }),
  answerRecord: ({ params, body: { text } }, site) =>
    asked(params, site, { type: 'requested-answer', record: params.record, text, by: site.caller.by }),
};

async function asked(
  params: { readonly repository: string; readonly run: string },
  site: Site,
  request: RequestEvent,
): Promise<Result<Accepted, Problem>> {
  const found = await runAt(site, params);
  return found.ok ? await command(site, found.value, request) : found;
}
