import type { ProbePlace } from '../adapters/fence/probe.ts';
import { planPlace, readConfigAt, readSettings } from '../adapters/plan-files/repository-plan.ts';
import { personsHome } from '../adapters/process/caller.ts';
import { findRepository, locateStateDirectory, placeInputs } from '../adapters/state-directory/index.ts';
import { ok } from '../domain/base/result.ts';
import type { Examined } from '../ports/repository-handle.ts';
import { pathsAtHome } from '../supervisor/job/context.ts';

/** The call that asks for an examination. */
export type DoctorContext = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stateRoot: string | null;
};

export type Examination = (context: DoctorContext) => Promise<Examined>;

/** Reads the settings of the repository that a command was called in, without any plan. */
export async function readConfig(context: DoctorContext) {
  const repository = await findRepository(context.cwd);
  if (!repository.ok) return repository;
  const { toplevel } = repository.value;
  const state = await locateStateDirectory(repository.value, placeInputs(context));
  return ok({
    toplevel,
    ...(await readConfigAt(planPlace(toplevel, state.ok ? state.value.path : null, context.env))),
  });
}

/** Returns the places that the fence of a run would close and show. Outside a repository nothing is closed, and the defaults hold. */
export async function probePlace(context: DoctorContext): Promise<ProbePlace> {
  const repository = await findRepository(context.cwd);
  if (!repository.ok) return { closed: [], read: [] };
  const { toplevel } = repository.value;
  const state = await locateStateDirectory(repository.value, placeInputs(context));
  const stateDirectory = state.ok ? state.value.path : null;
  const { fence } = await readSettings(planPlace(toplevel, stateDirectory, context.env));
  return {
    closed: [toplevel, ...(stateDirectory === null ? [] : [stateDirectory])],
    read: pathsAtHome(fence.read, personsHome()),
  };
}
