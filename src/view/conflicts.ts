import type { RunState } from '../domain/run.ts';
import { toldOfHold } from '../domain/texts/held.ts';

export type Conflict = { readonly task: string | null; readonly files: readonly string[]; readonly command: string };

/** Files that could not be integrated, and the command that tries again. */
export function conflictsOf(state: RunState): readonly Conflict[] {
  const held = Object.values(state.tasks).flatMap(({ id, progress }): readonly Conflict[] => {
    if (progress.status !== 'held' || progress.hold.because !== 'conflict') return [];
    const { command } = toldOfHold(state, progress.hold, `${state.run}/${id}`);
    return [{ task: id, files: progress.hold.files, command }];
  });
  const { landing } = state;
  const files = landing.status === 'refused' && 'files' in landing.because ? landing.because.files : [];
  return files.length === 0 ? held : [...held, { task: null, files, command: `tidegate land ${state.run}` }];
}
