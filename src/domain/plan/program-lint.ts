import type { Finding } from '../findings/finding.ts';
import { everyTask, type FrozenPlan } from './plan.ts';

/** A task, closure role or resolver whose command is a file of the repository, by its path from the root. */
type OwnProgram = { readonly task: string; readonly path: string };

export const ownPrograms = (plan: FrozenPlan): readonly OwnProgram[] =>
  [...everyTask(plan), ...resolverOf(plan)].flatMap(({ id, command }): readonly OwnProgram[] => {
    const path = /^(?:\.\/)?([^/].*)$/.exec(command?.[0] ?? '')?.[1];
    const isFile = command?.[0]?.includes('/') === true && path !== undefined && !path.split('/').includes('..');
    return isFile ? [{ task: id, path }] : [];
  });

const resolverOf = ({ resolver }: FrozenPlan) => (resolver === undefined ? [] : [{ id: 'resolver', ...resolver }]);

/** Warns about programs that could not be run where a run starts. An earlier task may still make them. */
export const lintPrograms = (
  programs: readonly OwnProgram[],
  modes: ReadonlyMap<string, string>,
  base: string,
): readonly Finding[] =>
  programs.flatMap(({ task, path }): readonly Finding[] => {
    const mode = modes.get(path);
    if (mode === '100755' || mode === '120000') return [];
    return [{ rule: 'command-file', task, path, base, fault: mode === undefined ? 'missing' : 'not-executable' }];
  });
