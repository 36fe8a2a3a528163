import { toldOfHold } from '../domain/explain/hold.ts';
import type { RunState } from '../domain/run/run.ts';

export type ConflictView = {
  readonly task: string | null;
  readonly files: readonly string[];
  readonly command: string;
};

/** Files that could not be integrated, and the command that settles it or tries again. */
export function conflictsOf(state: RunState): readonly ConflictView[] {
  const held = Object.values(state.tasks).flatMap(({ id, progress }): readonly ConflictView[] => {
    if (progress.status !== 'held' || progress.hold.because !== 'conflict') return [];
    const { command } = toldOfHold(state, progress.hold, `${state.run}/${id}`);
    return [{ task: id, files: progress.hold.files, command }];
  });
  const { landing } = state;
  const files = landing.status === 'refused' && 'files' in landing.because ? landing.because.files : [];
  const verb = landing.status === 'refused' && landing.because.rule === 'landing-conflicts' ? 'edit' : 'land';
  return files.length === 0 ? held : [...held, { task: null, files, command: `tidegate ${verb} ${state.run}` }];
}
