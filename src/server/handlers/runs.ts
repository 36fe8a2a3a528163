import { err, ok, type Result } from '../../domain/base/result.ts';
import { endText } from '../../domain/explain/ending.ts';
import { explainVerdict } from '../../domain/explain/explain.ts';
import { needsOf } from '../../domain/explain/needs.ts';
import { needsOfRepository } from '../../domain/explain/repository-needs.ts';
import { theRepository } from '../../domain/repository/repository.ts';
import { costsOf } from '../../domain/run/costs.ts';
import type { KnownRun } from '../../engine/orders/find-run.ts';
import { readRepository } from '../../engine/orders/find-run.ts';
import type { Stored } from '../../ports/ledger.ts';
import { type Problem, problem } from '../../protocol/problem.ts';
import type { runRoutes } from '../../protocol/routes/runs.ts';
import { overdueIn } from '../../view/board-lines.ts';
import { conflictsOf, runDocument } from '../../view/document.ts';
import { needSince } from '../../view/run-view.ts';
import { whyRun } from '../../view/why.ts';
import { asOf, currentLiveRuns, findRepositoryAt, findRun, noRun, pageOf, type SiteRun, whyContext } from '../find.ts';
import type { Handlers, Site } from '../site.ts';

export const runHandlers: Handlers<typeof runRoutes> = {
  runs: async ({ params, query }, site) => {
    const repository = await findRepositoryAt(site, params.repository, query.at);
    if (!repository.ok) return repository;
    const { at } = query;
    const then =
      at === undefined
        ? await currentLiveRuns(repository.value, site.now().toISOString())
        : (await repository.value.runs.all()).map((known) => asOf(known, at));
    const begun = then.filter(({ stored }) => stored.length > 0);
    return pageOf(begun.map(summaryOf), query, ({ run }) => run);
  },
  run: ofRun(({ view }) => ok(runDocument(view))),
  whyRun: ofRun(async (run) => ok(whyRun(run.view, await whyContext(run)))),
  waves: ofRun(({ view }) => ok({ items: runDocument(view).waves })),
  wave: ofRun(({ view }, { params }) => {
    const wave = runDocument(view).waves.find(({ index }) => index === params.wave);
    return wave === undefined
      ? err(problem(404, 'unknown-wave', `${params.run} has no wave ${params.wave}`, { field: 'params.wave' }))
      : ok(wave);
  }),
  tasks: ofRun(({ view }) => ok({ items: runDocument(view).waves.flatMap(({ tasks }) => tasks) })),
  taps: ofRun(({ view }) => ok(runDocument(view).taps)),
  evidence: ofRun(({ stored }, { query }) => pageOf(judgementsOf(stored), query, ({ seq }) => String(seq))),
  verdicts: ofRun(({ stored }) => ok({ items: lastVerdicts(stored) })),
  conflicts: ofRun(({ state }) => ok({ items: conflictsOf(state) })),
  costs: ofRun(({ state, stored }) => ok(costsOf(state, stored))),
  runEvents: async ({ params, query }, site) => {
    const repository = await findRepositoryAt(site, params.repository, query.at);
    if (!repository.ok) return repository;
    const known = await repository.value.runs.find(params.run);
    if (known === undefined) return err(noRun(params.run));
    const stored = known.stored.filter(({ seq }) => query.at === undefined || seq <= query.at);
    return pageOf(stored, query, ({ seq }) => String(seq));
  },
  events: async ({ params, query }, site) => {
    const repository = await findRepositoryAt(site, params.repository, query.at);
    if (!repository.ok) return repository;
    const after = /^\d{1,15}$/.test(query.cursor ?? '0') ? Number(query.cursor ?? '0') : -1;
    if (after < 0)
      return err(problem(400, 'bad-cursor', 'a cursor of this list is a sequence number', { field: 'query.cursor' }));
    const stored = await repository.value.repo.ledger.readAll(after, query.limit + 1);
    const until = stored.filter(({ seq }) => query.at === undefined || seq <= query.at);
    const items = until.slice(0, query.limit);
    return ok({ items, next: until.length > items.length ? String(items.at(-1)?.seq) : null });
  },
  head: async ({ params }, site) => {
    const repository = await findRepositoryAt(site, params.repository);
    if (!repository.ok) return repository;
    await repository.value.runs.all();
    return ok({ seq: repository.value.runs.seq() });
  },
  inbox: async (_input, site) => {
    const entries = (await site.repositories.list()).filter(({ present }) => present);
    const inboxes = await Promise.all(entries.map(({ id }) => inboxOf(site, id)));
    return ok({
      items: inboxes.flatMap(({ items }) => items),
      problems: inboxes.flatMap(({ problems }) => problems),
    });
  },
};

type OfRun = {
  readonly params: { readonly repository: string; readonly run: string };
  readonly query: { readonly at?: number | undefined };
};

/** Returns a handler that shows something of the run of the path. */
function ofRun<Input extends OfRun, Document>(
  show: (run: SiteRun, input: Input) => Result<Document, Problem> | Promise<Result<Document, Problem>>,
) {
  return async (input: Input, site: Site): Promise<Result<Document, Problem>> => {
    const run = await findRun(site, input.params, input.query.at);
    return run.ok ? await show(run.value, input) : run;
  };
}

/** A repository that cannot be opened does not hide the needs of the others. */
async function inboxOf(site: Site, id: string) {
  try {
    const repository = await site.repositories.open(id);
    const now = site.now().toISOString();
    const runs = repository === null ? [] : await currentLiveRuns(repository, now);
    const items = runs.flatMap(({ run, state, times }) => {
      if (state === null || state.ended !== null) return [];
      const view = { state, times, now };
      return needsOf(state).map((need) => ({
        repository: id,
        run,
        ...need,
        since: needSince(view, need),
        ...overdueIn(state, need.record, now),
      }));
    });
    const above = repository === null ? [] : needsOfRepository(await readRepository(repository.repo.ledger));
    const ofRepository = above.map((need) => ({ repository: id, run: theRepository, ...need, since: null }));
    return { items: [...items, ...ofRepository], problems: [] };
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

/** Returns evidence and verdicts in the order of the ledger. */
const judgementsOf = (stored: readonly Stored[]) =>
  stored.flatMap(({ seq, at, event }) => {
    if (event.type !== 'phase-judged') return [];
    const { phase, evidence, verdicts } = event;
    const subject = { wave: 'wave' in event ? event.wave : null, task: 'task' in event ? event.task : null };
    return [{ seq, at, phase, ...subject, evidence: { ...evidence }, verdicts: verdicts.map(explainVerdict) }];
  });

/** Returns the newest verdicts of each phase and subject. */
function lastVerdicts(stored: readonly Stored[]) {
  const last = new Map(
    judgementsOf(stored).map(({ evidence: _, ...judgement }) => [
      `${judgement.phase} ${judgement.wave} ${judgement.task}`,
      judgement,
    ]),
  );
  return [...last.values()];
}
