import { present } from '../base/result.ts';
import { shellWord } from '../base/safe-text.ts';
import type { DraftTask, DraftWave, Place, PlanDraft, PlanProblem } from '../plan/plan-draft.ts';
import type { WrittenClosureRole, WrittenTarget } from '../settings/closure-settings.ts';
import { type ClosureRole, closureRoles, roleId } from './roles.ts';

/** A closure role as a task that nobody wrote. */
export type DraftRole = DraftTask & {
  readonly closes: ClosureRole;
  /** Eval: its targets, and the file with the benchmarks of each family. */
  readonly targets?: readonly WrittenTarget[];
  readonly catalogue?: string;
  /** Deploy: environments that have to be healthy. */
  readonly environments?: readonly string[];
  /** Its marker lines count, although a program prints more than its own words. */
  readonly markers?: boolean;
};

/** Returns the closure roles of a wave, in the order in which they run. */
export const draftRoles = (draft: PlanDraft, wave: number): readonly DraftRole[] =>
  closureRoles.flatMap((closes) => {
    const written = writtenRole(draft, wave, closes);
    if (written === null) return [];
    const { text = '', ...task } = draftOf(written, roleId(closes, wave), wave);
    return [{ ...task, text, keys: { role: closes, owns: [], ...task.keys }, closes, ...subjectsOf(written.role) }];
  });

/** Keys that a role has and a task has not. */
function subjectsOf(role: WrittenClosureRole): Pick<DraftRole, 'targets' | 'catalogue' | 'environments' | 'markers'> {
  if (typeof role === 'string') return {};
  return present({
    targets: 'targets' in role ? role.targets : undefined,
    catalogue: 'catalogue' in role ? role.catalogue : undefined,
    environments: 'environments' in role ? role.environments : undefined,
    markers: role.markers,
  });
}

/** The program of a role or of the resolver as a shell command, whose files can be read from the base; null when it has none. */
export const programOf = ({ keys }: Pick<DraftRole, 'keys'>): string | null =>
  keys.command === undefined || keys.command === null ? null : keys.command.map(shellWord).join(' ');

type Written = { readonly role: WrittenClosureRole; readonly place: Place };

/** The role as the wave has it, or else the plan. Null when there is none. */
function writtenRole({ waves, settings }: PlanDraft, wave: number, name: ClosureRole | 'design'): Written | null {
  const own = waves[wave]?.closure ?? null;
  const role = (own ?? settings.closure)[name];
  const place = own === null ? [] : wavePlace(waves[wave]);
  return role === undefined ? null : { role, place: [...place, 'closure', name] };
}

const wavePlace = (wave: DraftWave | undefined): Place => wave?.place ?? [];

function draftOf({ role, place }: Written, id: string, wave: number): DraftTask {
  if (typeof role === 'string')
    return { id, wave, place, file: null, text: '', hasFrontMatter: false, keys: { agent: role } };
  const { do: text = '', agent, command, model, owns } = role;
  const keys = present({ agent, command, model, owns });
  return { id, wave, place, file: null, text, hasFrontMatter: false, keys };
}

/**
 * Adds the design task of each wave that has one. It is an ordinary task, and every other task of its wave needs it, so that they
 * start from its work and read its handoff.
 */
export function withDesign(draft: PlanDraft): PlanDraft {
  const waves = draft.waves.map((wave, index): DraftWave => {
    const written = writtenRole(draft, index, 'design');
    if (written === null || wave.tasks.length === 0) return wave;
    const { text, keys, ...task } = draftOf(written, designId(index), index);
    const brief = text === null || text.trim() === '' ? designBrief : text;
    const first = { ...task, text: brief, keys: { role: 'design', owns: [], ...keys } } as const;
    return { ...wave, tasks: [first, ...wave.tasks.map((one) => needing(one, first.id))] };
  });
  return { ...draft, waves };
}

const designId = (wave: number): string => `wave-${wave + 1}-design`;

const needing = (task: DraftTask, need: string): DraftTask =>
  task.id === need ? task : { ...task, keys: { ...task.keys, needs: [...(task.keys.needs ?? []), need] } };

const designBrief = `Design the work of this wave before its tasks start. Read the code that the tasks will change.
Write down the interfaces, names and files that the tasks have to agree on, and hand them off in your summary.`;

/** Returns ids of tasks that closure roles of the plan have. */
export function lintRoleIds(draft: PlanDraft): readonly PlanProblem[] {
  const roles = new Set(draft.waves.flatMap((_, wave) => draftRoles(draft, wave).map(({ id }) => id)));
  return draft.waves.flatMap(({ tasks }) =>
    tasks.flatMap(({ id, place }): readonly PlanProblem[] =>
      roles.has(id) ? [{ rule: 'role-id', task: id, place, at: 'key' }] : [],
    ),
  );
}
