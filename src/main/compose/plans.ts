import { addConfirmations } from '../../adapters/plan-files/config.ts';
import type { Start } from '../../adapters/plan-files/index.ts';
import {
  findPlan,
  type PlanPlace,
  planPlace,
  readPlanAt,
  readSettingsTable,
  startInCheckout,
} from '../../adapters/plan-files/repository-plan.ts';
import { callerOf } from '../../adapters/process/caller.ts';
import {
  findRepository,
  locateStateDirectory,
  makeStateDirectory,
  placeInputs,
} from '../../adapters/state-directory/index.ts';
import type { Context } from '../../cli/frame/command.ts';
import type { ConfigPorts, PlanReader } from '../../cli/frame/ports.ts';
import { ok, type Result } from '../../domain/base/result.ts';

export const readPlan: PlanReader = async (context, source, { uncommitted = false } = {}) => {
  const place = await placeOf(context);
  if (!place.ok) return place;
  const plan = await findPlan(place.value.toplevel, context.cwd, source);
  const branch = 'branch' in source ? source.branch : null;
  const start = async (base: string) => (uncommitted ? await startInCheckout(place.value, base) : null);
  return plan.ok ? ok(await readPlanAt(place.value, plan.value, { branch, start })) : plan;
};

/** Reads the plan of a run once more. The branch that the run began on replaces the one that is checked out now. */
export async function rereadPlan(context: Context, planFile: string, branch: string, start: Start | null) {
  const place = await placeOf(context);
  return place.ok ? ok(await readPlanAt(place.value, planFile, { branch, start: async () => start })) : place;
}

export const configPorts: ConfigPorts = {
  async read(context, planFile) {
    const place = await placeOf(context);
    return place.ok ? ok(await readSettingsTable(place.value, context.cwd, planFile)) : place;
  },
  async confirm(context, hashes) {
    const repository = await findRepository(context.cwd);
    const inputs = placeInputs(context);
    const state = repository.ok ? await locateStateDirectory(repository.value, inputs) : repository;
    const made = state.ok ? await makeStateDirectory(state.value, inputs.uid) : state;
    if (!made.ok) return made;
    await addConfirmations(made.value.path, hashes);
    return ok(undefined);
  },
  agent: ({ env }) => callerOf(env, { name: '', terminal: true }).agent,
};

/** Reading works without a state directory, too: then nothing counts as confirmed. */
async function placeOf(context: Context): Promise<Result<PlanPlace, string>> {
  const repository = await findRepository(context.cwd);
  if (!repository.ok) return repository;
  const state = await locateStateDirectory(repository.value, placeInputs(context));
  return ok(planPlace(repository.value.toplevel, state.ok ? state.value.path : null, context.env));
}
