import { asyncApi } from '../../contract/asyncapi.ts';
import { err, ok } from '../../domain/base/result.ts';
import { parseCursor } from '../../protocol/cursor.ts';
import { problem } from '../../protocol/problem.ts';
import type { streamRoutes } from '../../protocol/routes/stream.ts';
import { noRepository } from '../found.ts';
import type { Handlers } from '../site.ts';

export const streamHandlers: Handlers<typeof streamRoutes> = {
  watch: async ({ params, query: { after, channel } }, { repositories, feeds }) => {
    const open = await repositories.open(params.repository);
    if (open === null) return err(noRepository(params.repository));
    if (!feeds.hasRoom())
      return err(problem(503, 'full', 'no more listeners are taken', { next: 'close some of them' }));
    const feed = feeds.of(open);
    const from = await feed.place(after === undefined ? null : parseCursor(after));
    if (from === null) return err(badCursor);
    const { heartbeatMs } = feeds.limits;
    return ok({
      after: from,
      heartbeatMs,
      follow: (sink, dropped) => feed.follow({ channel, after: from, sink, dropped }),
    });
  },
  asyncapi: async (_given, { version }) => ok(asyncApi(version)),
};

const badCursor = problem(410, 'bad-cursor', 'the cursor is beyond the end of the ledger', {
  field: 'query.after',
  next: 'begin again without a cursor',
});
