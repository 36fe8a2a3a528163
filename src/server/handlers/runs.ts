import { err, ok, type Result } from '../../domain/base/result.ts';
import { endText } from '../../domain/explain/ending.ts';
import { needsOf } from '../../domain/explain/needs.ts';
import { costsOf } from '../../domain/run/costs.ts';
import type { KnownRun } from '../../engine/orders/find-run.ts';
import type { Problem } from '../../protocol/problem.ts';
import { problem } from '../../protocol/problem.ts';
import type { runRoutes } from '../../protocol/routes/runs.ts';
import { conflictsOf, runDocument } from '../../view/document.ts';
import { needSince } from '../../view/run-view.ts';
import { whyRun } from '../../view/why.ts';
import { aroundOf, asOf, type FoundRun, noRun, runAt, siteRepository } from '../found.ts';
import { pageOf } from '../http/pages.ts';
import { judgementsOf, lastVerdicts } from '../judgements.ts';
import type { Handlers, Site } from '../site.ts';

export const runHandlers: Handlers<typeof runRoutes> = {
  runs: async ({ params, query }, site) => {
    const repository = await siteRepository(site, params.repository, query.at);
    if (!repository.ok) return repository;
    const all = await repository.value.runs.all();
    const then = query.at === undefined ? all : all.map((known) => asOf(known, query.at ?? 0));
    const shown = then.filter(({ stored }) => stored.length > 0);
    return pageOf(shown.map(summaryOf), query, ({ run }) => run);
  },
  run: async ({ params, query }, site) => shown(await runAt(site, params, query.at), ({ view }) => written(view)),
  whyRun: async ({ params, query }, site) => {
    const found = await runAt(site, params, query.at);
    return found.ok ? ok(whyRun(found.value.view, await aroundOf(found.value))) : found;
  },
  waves: async ({ params, query }, site) =>
    shown(await runAt(site, params, query.at), ({ view }) => ({ items: written(view).waves })),
  wave: async ({ params, query }, site) => {
    const found = await runAt(site, params, query.at);
    if (!found.ok) return found;
    const wave = written(found.value.view).waves.find(({ index }) => index === params.wave);
    return wave === undefined
      ? err(problem(404, 'unknown-wave', `${params.run} has no wave ${params.wave}`, { field: 'params.wave' }))
      : ok(wave);
  },
  tasks: async ({ params, query }, site) =>
    shown(await runAt(site, params, query.at), ({ view }) => ({
      items: written(view).waves.flatMap(({ tasks }) => tasks),
    })),
  taps: async ({ params, query }, site) => shown(await runAt(site, params, query.at), ({ view }) => written(view).taps),
  evidence: async ({ params, query }, site) => {
    const found = await runAt(site, params, query.at);
    return found.ok ? pageOf(judgementsOf(found.value.stored), query, ({ seq }) => String(seq)) : found;
  },
  verdicts: async ({ params, query }, site) =>
    shown(await runAt(site, params, query.at), ({ stored }) => ({ items: lastVerdicts(stored) })),
  conflicts: async ({ params, query }, site) =>
    shown(await runAt(site, params, query.at), ({ state }) => ({ items: conflictsOf(state) })),
  costs: async ({ params, query }, site) =>
    shown(await runAt(site, params, query.at), ({ state, stored }) => costsOf(state, stored)),
  runEvents: async ({ params, query }, site) => {
    const repository = await siteRepository(site, params.repository, query.at);
    if (!repository.ok) return repository;
    const known = await repository.value.runs.find(params.run);
    if (known === undefined) return err(noRun(params.run));
    const stored = known.stored.filter(({ seq }) => query.at === undefined || seq <= query.at);
    return pageOf(stored, query, ({ seq }) => String(seq));
  },
  events: async ({ params, query }, site) => {
    const repository = await siteRepository(site, params.repository, query.at);
    if (!repository.ok) return repository;
    const after = /^\d{1,15}$/.test(query.cursor ?? '0') ? Number(query.cursor ?? '0') : -1;
    if (after < 0)
      return err(problem(400, 'bad-cursor', 'a cursor here is a sequence number', { field: 'query.cursor' }));
    const stored = await repository.value.repo.ledger.readAll(after, query.limit + 1);
    const until = stored.filter(({ seq }) => query.at === undefined || seq <= query.at);
    const items = until.slice(0, query.limit);
    return ok({ items: items, next: until.length > items.length ? String(items.at(-1)?.seq) : null });
  },
  head: async ({ params }, site) => {
    const repository = await siteRepository(site, params.repository);
    if (!repository.ok) return repository;
    await repository.value.runs.all();
    return ok({ seq: repository.value.runs.seq() });
  },
  inbox: async (_given, site) => {
    const entries = (await site.repositories.list()).filter(({ present }) => present);
    const looked = await Promise.all(entries.map(({ id }) => inboxOf(site, id)));
    return ok({
      items: looked.flatMap(({ items }) => items),
      problems: looked.flatMap(({ problems }) => problems),
    });
  },
};

/** A repository that cannot be opened does not hide what waits in the others. */
async function inboxOf(site: Site, id: string) {
  try {
    const repository = await site.repositories.open(id);
    const runs = repository === null ? [] : await repository.runs.all();
    const items = runs.flatMap(({ run, state, times }) => {
      if (state === null || state.ended !== null) return [];
      const view = { state, times, now: site.now().toISOString() };
      return needsOf(state).map((need) => ({ repository: id, run, ...need, since: needSince(view, need) }));
    });
    return { items, problems: [] };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { items: [], problems: [{ repository: id, detail }] };
  }
}

const summaryOf = ({ run, state, stored }: KnownRun) => ({
  run: String(run),
  mode: state?.mode.mode ?? ('ordered' as const),
  ended: state?.ended ?? null,
  landing: state?.landing.status ?? ('none' as const),
  outcome: state === null ? null : endText(state),
  target: state?.target.branch ?? null,
  began: stored[0]?.at ?? null,
  waits: state === null || state.ended !== null ? 0 : needsOf(state).length,
});

const written = (view: FoundRun['view']) => runDocument(view);

const shown = <T>(found: Result<FoundRun, Problem>, show: (run: FoundRun) => T): Result<T, Problem> =>
  found.ok ? ok(show(found.value)) : found;
