import type { RunId } from '../domain/base/ids.ts';
import { err, ok, type Result } from '../domain/base/result.ts';
import { explain } from '../domain/explain/explain.ts';
import type { Finding } from '../domain/findings/finding.ts';
import { allTasks, type FrozenPlan } from '../domain/plan/plan.ts';
import { sketchOf } from '../domain/plan/plan-text.ts';
import { performOrder } from '../engine/actions/perform.ts';
import { type NotOrdered, type PreparedOrder, prepareOrder } from '../engine/orders/order-run.ts';
import type { PlanSource } from '../ports/repository-handle.ts';
import { type Problem, problem } from '../protocol/problem.ts';
import type { RouteInput } from '../protocol/route.ts';
import type { commandRoutes } from '../protocol/routes/commands.ts';
import { findRepositoryAt } from './find.ts';
import { notAllowed, oneAtATime, otherRequest, siteCaller } from './perform.ts';
import type { Handler, ServedRepository, Site } from './site.ts';

type Routes = typeof commandRoutes;
type Body = RouteInput<Routes['order']>['body'];

export const lint: Handler<Routes['lint']> = async ({ params, body }, site) => {
  const repository = await findRepositoryAt(site, params.repository);
  const source = sourceOf(body);
  if (!repository.ok) return repository;
  if (!source.ok) return source;
  const read = await repository.value.repo.readPlan(source.value, flagsOf(body));
  if (!read.ok) return err(problem(422, 'no-plan', read.error, { field: 'body' }));
  const rest = read.value.ok
    ? { ok: true, findings: [], hash: read.value.hash, checks: read.value.plan.checks }
    : { ok: false, findings: read.value.findings.map(explain), hash: null, checks: [] };
  return ok({ ...rest, warnings: read.value.warnings.map(explain) });
};

export const dryRun: Handler<Routes['dryRun']> = async ({ params, body }, site) => {
  const repository = await findRepositoryAt(site, params.repository);
  if (!repository.ok) return repository;
  const prepared = await prepare(repository.value, site, body);
  return prepared.ok ? ok(documentOf(prepared.value)) : prepared;
};

/** Answers when the order is in the ledger. A person decides whether it may start. */
export const order: Handler<Routes['order']> = async ({ params, body }, site) => {
  const repository = await findRepositoryAt(site, params.repository);
  if (!repository.ok) return repository;
  const { repo, runs, id } = repository.value;
  return await oneAtATime(`${id} ${site.key}`, site.key !== null, async () => {
    const prepared = await prepare(repository.value, site, body);
    if (!prepared.ok) return prepared;
    const earlier = site.key === null ? undefined : orderWith(await runs.all(), site.key);
    if (earlier !== undefined && earlier.hash !== prepared.value.order.hash) return err(otherRequest);
    if (earlier !== undefined)
      return ok({
        ...documentOf(withoutItself(prepared.value, earlier.run)),
        run: earlier.run,
        planFile: earlier.planFile,
      });
    const { run } = prepared.value.order;
    if (!(await performOrder(repo, prepared.value, siteCaller(site), { key: site.key ?? undefined })))
      return err(notAllowed);
    if (!(await repo.ensureCoordinator()))
      return err(
        problem(503, 'no-answer', 'no coordinator starts the run; the order is recorded', {
          next: `tidegate resume ${run}`,
        }),
      );
    return ok({ ...documentOf(prepared.value), run });
  });
};

/** Drops the warning that the same plan is live already, for a repeated order of that run. */
const withoutItself = (prepared: PreparedOrder, run: RunId): PreparedOrder => ({
  ...prepared,
  warnings: prepared.warnings.filter((warning) => warning.rule !== 'plan-live' || warning.run !== run),
});

function orderWith(runs: Awaited<ReturnType<ServedRepository['runs']['all']>>, key: string) {
  const orders = runs.flatMap(({ stored }) => (stored[0]?.event.type === 'requested-run' ? [stored[0].event] : []));
  return orders.find((event) => event.key === key);
}

async function prepare({ repo }: ServedRepository, site: Site, body: Body): Promise<Result<PreparedOrder, Problem>> {
  const source = sourceOf(body);
  if (!source.ok) return source;
  const request = { source: source.value, flags: flagsOf(body), wave: body.wave ?? null, tidegate: site.version };
  const prepared = await prepareOrder(repo, request);
  return prepared.ok ? prepared : err(problemOf(prepared.error));
}

export function problemOf(why: NotOrdered): Problem {
  switch (why.because) {
    case 'no-plan':
    case 'no-branch':
      return problem(422, why.because, why.message, { field: 'body' });
    case 'mistakes':
      return problem(422, 'plan-invalid', textOf(why.findings), {
        field: 'body',
        next: 'POST it to plans/lint to see all mistakes',
      });
    case 'refused': {
      const [first] = why.findings;
      const fix = first === undefined ? undefined : explain(first).fix;
      return problem(422, 'plan-refused', textOf(why.findings), fix === undefined ? {} : { next: fix });
    }
  }
}

const textOf = (findings: readonly Finding[]): string =>
  findings
    .map(explain)
    .map(({ where, detail }) => (where === undefined ? detail : `${where}: ${detail}`))
    .join('\n');

function documentOf({ order: { plan, hash, planFile }, warnings }: PreparedOrder) {
  return { hash, planFile, ...sizeOf(plan), checks: plan.checks, warnings: warnings.map(explain) };
}

const sizeOf = (plan: FrozenPlan) => ({ waves: plan.waves.length, tasks: allTasks(plan).length });

const flagsOf = ({ land, focus }: Body) => ({ land: land ?? null, focus: focus ?? null });

function sourceOf({ plan, planFile, tasks, agent, model }: Body): Result<PlanSource, Problem> {
  const sources = [plan, planFile, tasks].filter((one) => one !== undefined);
  if (sources.length > 1)
    return err(problem(422, 'invalid', 'send only one of plan, planFile and tasks', { field: 'body' }));
  if (agent !== undefined && tasks === undefined)
    return err(problem(422, 'invalid', 'agent needs tasks; a plan names its own agents', { field: 'body.agent' }));
  if (model !== undefined && tasks === undefined)
    return err(problem(422, 'invalid', 'model needs tasks; a plan names its own models', { field: 'body.model' }));
  if (plan !== undefined) return ok({ text: plan });
  if (tasks !== undefined) return ok(sketchOf(tasks, agent ?? null, model ?? null));
  if (planFile === undefined) return ok([]);
  // below the checkout, whatever it is called
  const isInside = !planFile.startsWith('/') && !planFile.split(/[/\\]/).includes('..') && !planFile.includes('\0');
  return isInside
    ? ok([planFile])
    : err(problem(422, 'bad-path', 'a plan file must be inside the checkout', { field: 'body.planFile' }));
}
