import { routes } from '../../src/contract/routes.ts';
import { problemSchema } from '../../src/protocol/problem.ts';
import { type Route, refusalStatuses } from '../../src/protocol/route.ts';
import { upgradeRoutes } from '../../src/protocol/routes/server.ts';
import { router } from '../../src/server/http/router.ts';

export type Heard = {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  readonly type: string | undefined;
  readonly text: string;
};

const table: Readonly<Record<string, Route>> = routes;
const find = router(table);

/**
 * Throws if an answer of the server is not one that the contract has: another status, another kind of content, or a document
 * that its schema, taken strictly, does not know.
 */
export function holdToContract(heard: Heard): void {
  const path = heard.path.split('?')[0] ?? '';
  // what a protocol of others says is theirs to document; what we refuse there is ours
  if (Object.values(upgradeRoutes).some((one) => one.path === path) && heard.type !== 'application/problem+json')
    return;
  const match = find(heard.method, path);
  const route = match.kind === 'route' ? table[match.id] : undefined;
  const drift = (why: string): never => {
    throw new Error(`${heard.method} ${heard.path} answers ${heard.status} ${heard.text.slice(0, 500)}\n${why}`);
  };
  // Node itself refuses what is no request yet, without a word
  if ([400, 408, 431].includes(heard.status) && heard.type === undefined && heard.text === '') return;
  if (heard.status >= 400) {
    if (route !== undefined && !(refusalStatuses(route) as readonly number[]).includes(heard.status))
      drift(`the contract has no ${heard.status} here`);
    if (heard.type !== 'application/problem+json') drift(`a refusal is no ${heard.type}`);
    if (heard.method === 'HEAD') return;
    const problem = problemSchema.safeParse(JSON.parse(heard.text));
    if (!problem.success || problem.data.status !== heard.status) drift(`not a problem: ${problem.error?.message}`);
    return;
  }
  // what is no route of the table (pages, upgrades, links) has no schema either
  if (route === undefined) return;
  if ('content' in route.answer) {
    if (![200, 206].includes(heard.status)) drift('text is answered with 200 or 206');
    if (heard.type !== `${route.answer.content}; charset=utf-8`) drift(`it is no ${heard.type}`);
    return;
  }
  if ('events' in route.answer) {
    if (heard.status !== 200 || heard.type !== 'text/event-stream') drift(`it is no ${heard.type}`);
    return;
  }
  if (heard.status !== route.answer.status) drift(`the contract has ${route.answer.status}`);
  if (heard.type !== 'application/json') drift(`it is no ${heard.type}`);
  if (heard.method === 'HEAD') return;
  const document = route.answer.schema.safeParse(JSON.parse(heard.text));
  if (!document.success) drift(document.error.message);
}
