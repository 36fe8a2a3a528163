import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { gitReader, inspectRepository } from '../adapters/git-read/index.ts';
import { loadPlan } from '../adapters/plan-files/index.ts';
import { findRepository } from '../adapters/state-directory/index.ts';
import type { PlanReader } from '../cli/lint.ts';
import { err, ok, type Result } from '../domain/result.ts';

/** The plan that a command means, and whether this repository can be worked on at all. Changes nothing. */
export const readPlan: PlanReader = async ({ cwd }, planFile) => {
  const repository = await findRepository(cwd);
  if (!repository.ok) return repository;
  const { toplevel } = repository.value;
  const named = planFile === null ? await onlyPlan(toplevel) : ok(relative(toplevel, resolve(cwd, planFile)));
  if (!named.ok) return named;
  const currentBranch = await gitReader({ checkout: toplevel, repository: '' }).currentBranch();
  const loaded = await loadPlan({ root: toplevel, planFile: named.value, currentBranch });
  const { errors, warnings: doubts } = await inspectRepository(toplevel);
  const warnings = [...loaded.warnings, ...doubts];
  if (loaded.ok && errors.length === 0) return ok({ ...loaded, warnings });
  return ok({ ok: false, findings: [...(loaded.ok ? [] : loaded.findings), ...errors], warnings });
};

/** `tidegate.plan.yaml`, or the one plan that lies beside it. */
async function onlyPlan(toplevel: string): Promise<Result<string, string>> {
  const names = (await readdir(toplevel)).filter((name) => /\.plan\.ya?ml$/.test(name)).sort();
  const usual = names.find((name) => name.startsWith('tidegate.plan.'));
  const chosen = usual ?? (names.length === 1 ? names[0] : undefined);
  if (chosen !== undefined) return ok(chosen);
  if (names.length > 1) return err(`which plan? ${names.join(', ')}`);
  return err(`there is no ${join(toplevel, 'tidegate.plan.yaml')}; name a plan, or make one with tidegate init`);
}
