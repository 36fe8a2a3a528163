import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { syncDirectory, writeDurably } from '../../adapters/files/durable-file.ts';
import { readStateFile } from '../../adapters/files/state-file.ts';
import { type CommitId, commitId } from '../../domain/base/ids.ts';
import type { StateDir } from '../../domain/ledger/state-dir.ts';

/** On disk from before the first change to the person's repository until after the last. */
export type LandingJournal = {
  readonly run: string;
  readonly ref: string;
  readonly old: CommitId | null;
  readonly new: CommitId | null;
  /** Null: only the ref moves. */
  readonly worktree: { readonly path: string; readonly gitDir: string } | null;
  /** Files that git makes while it works. They were not there when this was written. */
  readonly locks: readonly string[];
};

const commit = z.string().transform(commitId);
const schema: z.ZodType<LandingJournal> = z.strictObject({
  run: z.string(),
  ref: z.string(),
  old: commit.nullable(),
  new: commit.nullable(),
  worktree: z.strictObject({ path: z.string(), gitDir: z.string() }).nullable(),
  locks: z.array(z.string()),
});

export const readJournal = (state: StateDir): LandingJournal | null =>
  readStateFile(state.landingJournal, (text) => schema.parse(JSON.parse(text)));

export function writeJournal(state: StateDir, journal: LandingJournal): void {
  writeDurably(state.landingJournal, `${JSON.stringify(journal, null, 2)}\n`);
}

export function clearJournal(state: StateDir): void {
  rmSync(state.landingJournal, { force: true });
  syncDirectory(dirname(state.landingJournal));
}
