import {
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { syncDirectory, writeDurably } from '../../adapters/files/durable-file.ts';
import { absentAsNull, hasCode, readStateFile } from '../../adapters/files/state-file.ts';
import {
  absent,
  type Change,
  forgetArrival,
  hashBytes,
  hashFiles,
  type IndexEntry,
  moveRef,
  openPerson,
  type Person,
  readChanges,
  readIndex,
  readRef,
  restoreFromIndex,
} from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import { type CommitId, commitId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { StateDir } from '../../domain/ledger/state-dir.ts';
import type { MergerContext } from '../order.ts';

/**
 * Finishes or undoes a landing that was cut off: the ref has moved, or the whole index has, so that only the ref is
 * left to move; or the index has not, and the files that were already written are restored, so that it can be repeated.
 * Content that is neither the old nor the new one is saved elsewhere first. Any other state is reported, not guessed.
 * Called only when every process of the landing is dead.
 */
export async function recoverLanding(context: MergerContext): Promise<Result<null, Finding>> {
  const journal = readJournal(context.state);
  if (journal === null) return ok(null);
  const person = await openPerson(context.checkout, context.env);
  const stranger = journal.worktree === null ? null : gitAtWork(journal.worktree.path);
  if (stranger !== null) return err({ ...cutOff(journal), fault: 'git-running', pid: stranger });
  for (const lock of journal.locks) rmSync(lock, { force: true });
  failpoint('merger-recovery-unlocked');

  const tip = await readRef(person, journal.ref);
  if (tip !== journal.old && tip !== journal.new)
    return err({ ...cutOff(journal), fault: 'ref-elsewhere', actual: tip });
  const { old, new: next, worktree } = journal;
  if (tip === old && old !== null && next !== null && worktree !== null) {
    const settled = await settleTree(context, person, { ...journal, old, new: next }, worktree.path);
    if (!settled.ok) return settled;
  }
  failpoint('merger-recovery-settled');
  await forgetArrival(person);
  clearJournal(context.state);
  return ok(null);
}

type Ends = { readonly old: CommitId; readonly new: CommitId };

async function settleTree(
  context: MergerContext,
  person: Person,
  journal: LandingJournal & Ends,
  worktree: string,
): Promise<Result<null, Finding>> {
  const inWorktree = { ...person, cwd: worktree };
  const changes = await readChanges(context.state.repository, journal.old, journal.new);
  const index = await readIndex(inWorktree);
  const unlike = (side: (change: Change) => Side) =>
    changes.filter((change) => !matches(index.get(change.path), side(change))).map((change) => change.path);
  if (unlike(newSide).length === 0) {
    const why = `tidegate: ${journal.run}`;
    const moved = await moveRef(inWorktree, journal.ref, { old: journal.old, new: journal.new, why });
    return moved.outcome === 'moved' ? ok(null) : err({ ...cutOff(journal), fault: 'ref-moved' });
  }
  const strange = unlike(oldSide);
  if (strange.length > 0) return err({ ...cutOff(journal), fault: 'index-mixed', files: strange });
  await putBack(context, inWorktree, journal, changes, index);
  return ok(null);
}

/** Mode `000000` where there is nothing. */
type Side = { readonly mode: string; readonly id: string };
const oldSide = (change: Change): Side => ({ mode: change.oldMode, id: change.oldId });
const newSide = (change: Change): Side => ({ mode: change.newMode, id: change.newId });

function matches(entry: IndexEntry | null | undefined, side: Side): boolean {
  if (entry === undefined) return side.mode === absent;
  return entry !== null && entry.mode === side.mode && entry.id === side.id;
}

/** Files as the index has them, which is as they were before. */
async function putBack(
  context: MergerContext,
  person: Person,
  journal: LandingJournal,
  changes: readonly Change[],
  index: ReadonlyMap<string, IndexEntry | null>,
): Promise<void> {
  const present = changes.filter((change) => index.get(change.path)?.skipped !== true);
  const states = await readStates(person, present);
  const aside = join(context.state.root, 'saved', `${journal.run}-${journal.new}`);
  const isOld = (change: Change) => same(states.get(change.path) ?? nothing, oldSide(change));
  const save = (path: string) => {
    mkdirSync(dirname(join(aside, path)), { recursive: true });
    cpSync(join(person.cwd, path), join(aside, path), { recursive: true, verbatimSymlinks: true });
  };
  for (const change of present.filter((candidate) => !isOld(candidate))) {
    const state = states.get(change.path);
    if (state === undefined) continue;
    if (!same(state, newSide(change))) save(change.path);
    rmSync(join(person.cwd, change.path), { recursive: true, force: true });
    removeEmptyParents(person.cwd, change.path);
    failpoint('merger-recovery-file-removed');
  }
  const missing = present.filter((change) => change.oldMode !== absent && !isOld(change)).map((change) => change.path);
  // Somebody else put there what is still there, and git would remove it with its directory.
  for (const path of missing.filter((candidate) => statsAt(person.cwd, candidate) !== null)) save(path);
  await restoreFromIndex(person, missing);
}

/** Reads each path of the working tree as git would store it; absent paths are missing from the map. */
async function readStates(person: Person, changes: readonly Change[]): Promise<ReadonlyMap<string, Side>> {
  const states = new Map<string, Side>();
  const regular: { path: string; mode: string }[] = [];
  for (const { path } of changes) {
    const stats = statsAt(person.cwd, path);
    if (stats === null) continue;
    if (stats.isSymbolicLink())
      states.set(path, { mode: '120000', id: await hashBytes(person, readlinkSync(join(person.cwd, path))) });
    else if (stats.isFile()) regular.push({ path, mode: (stats.mode & 0o100) === 0 ? '100644' : '100755' });
    // A directory is there because of paths below it, which are looked at themselves.
    else if (!stats.isDirectory()) states.set(path, { mode: 'other', id: '' });
  }
  const ids = await hashFiles(
    person,
    regular.map(({ path }) => path),
  );
  for (const [at, { path, mode }] of regular.entries()) states.set(path, { mode, id: ids[at] ?? '' });
  return states;
}

const nothing: Side = { mode: absent, id: '' };
const same = (a: Side, b: Side): boolean => a.mode === b.mode && (a.mode === absent || a.id === b.id);

function removeEmptyParents(root: string, path: string): void {
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    const folder = join(root, parent);
    if (statsAt(root, parent)?.isDirectory() !== true || readdirSync(folder).length > 0) return;
    rmdirSync(folder);
  }
}

/** A living git in that working tree, whose lock files are not ours to remove. */
function gitAtWork(worktree: string): number | null {
  const pid = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .find((name) => {
      try {
        const comm = readFileSync(`/proc/${name}/comm`, 'utf8').trim();
        const cwd = comm.startsWith('git') ? readlinkSync(`/proc/${name}/cwd`) : '';
        return cwd === worktree || cwd.startsWith(`${worktree}/`);
      } catch (error) {
        // Processes end while we look, and those of other people show nothing.
        if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return false;
        throw error;
      }
    });
  return pid === undefined ? null : Number(pid);
}

const cutOff = ({ run, ref, old, new: next, worktree }: LandingJournal) =>
  ({ rule: 'landing-cut-off', run, ref, old, new: next, worktree: worktree?.path ?? null }) as const;

/** On disk from before the first change to the person's repository until after the last. */
type LandingJournal = {
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

const readJournal = (state: StateDir): LandingJournal | null =>
  readStateFile(state.landingJournal, (text) => schema.parse(JSON.parse(text)));

export function writeJournal(state: StateDir, journal: LandingJournal): void {
  writeDurably(state.landingJournal, `${JSON.stringify(journal, null, 2)}\n`);
}

export function clearJournal(state: StateDir): void {
  rmSync(state.landingJournal, { force: true });
  syncDirectory(dirname(state.landingJournal));
}

/** Looks at a path of a working tree without following links; null when nothing is there, or when a parent is a link or a file. */
export function statsAt(root: string, path: string): Stats | null {
  for (const parent of parentsOf(path)) if (lookAt(join(root, parent))?.isDirectory() !== true) return null;
  return lookAt(join(root, path));
}

/** `a/b/c` is below `a` and `a/b`. */
export const parentsOf = (path: string): readonly string[] => {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
};

function lookAt(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    return absentAsNull(error);
  }
}
