import type { Executor } from '../ports/executor.ts';
import { agents } from './agents.ts';

/** Loads the executor of a job. `program` selects among agents of one executor; one that is not known gets no special treatment. */
export async function loadExecutor(executor: string, program: string): Promise<Executor> {
  const kinds = agents
    .flatMap(({ kind, variants = {} }) => [kind, ...Object.values(variants)])
    .filter((kind) => kind.executor === executor);
  const kind = kinds.find((one) => one.program === program) ?? kinds.find((one) => one.program === '') ?? kinds.at(0);
  if (kind === undefined) throw new Error(`there is no executor ${executor}`);
  return await kind.load();
}
