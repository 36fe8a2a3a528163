import type { CommitId } from '../base/ids.ts';

/** `commit` holds both sides, on top of `onto`: text between markers, the rest as files of their own. */
export type LandingConflict = {
  readonly commit: CommitId;
  readonly onto: CommitId;
  readonly files: readonly string[];
  readonly beside?: readonly SidesBeside[];
};

/** A file that cannot hold both sides: these lie beside its place, and nothing is in it. */
export type SidesBeside = { readonly path: string; readonly sides: readonly Side[] };
export type Side = 'branch' | 'run';

/** Where one side of such a file lies. */
export const sideName = (path: string, side: Side): string => `${path}.tidegate-${side}`;
