import { type Dirent, type FSWatcher, watch } from 'node:fs';
import { constants, lstat, open, readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { RequestEvent, TapName } from '../../domain/ledger/requests.ts';
import type { StateDir } from '../../domain/ledger/state-dir.ts';
import { foldRun, type RunState } from '../../domain/run/run.ts';
import type { Ledger, Stored } from '../../ports/ledger.ts';

const markers = { approved: 'requested-approve', rejected: 'requested-reject', hold: 'requested-hold' } as const;
type Marker = keyof typeof markers;
const isMarker = (name: string): name is Marker => name in markers;

/**
 * Turns marker files in `runs/<run>/` into requests: `approved`, `rejected` or `hold`, containing the plan hash that the
 * person saw. A marker with any other content is ignored; the directory is outside of every fence. A marker decides the tap that was
 * open when it was written: a later tap, such as the landing, needs a new marker.
 */
export function watchMarkers(state: StateDir, ledger: Ledger): AsyncDisposable {
  const watchers = new Map<string, FSWatcher>();
  const root = dirname(state.run('any'));
  let over = false;
  let reading: Promise<void> = Promise.resolve();
  /** Reads one directory at a time. A directory that vanished has no marker. */
  const look = (at: () => Promise<void>): void => {
    reading = reading.then(async () => (over ? undefined : await at())).catch(ignoreAbsent);
  };
  const follow = (directory: string, at: () => Promise<void>): void => {
    if (over || watchers.has(directory)) return;
    watchers.set(
      directory,
      watch(directory, () => look(at)),
    );
    look(at);
  };
  follow(root, async () => {
    for (const entry of await readdir(root, { withFileTypes: true })) {
      const directory = state.run(entry.name);
      if (entry.isDirectory()) follow(directory, async () => void (await readMarkers(directory, ledger)));
    }
  });
  return {
    async [Symbol.asyncDispose]() {
      over = true;
      for (const watcher of watchers.values()) watcher.close();
      await reading;
    },
  };
}

/** Reads all markers once, without watching them. Returns the new requests. */
export async function takeMarkers(state: StateDir, ledger: Ledger): Promise<readonly Stored[]> {
  const root = dirname(state.run('any'));
  const requests: Stored[] = [];
  for (const entry of await readdir(root, { withFileTypes: true }).catch(noEntries))
    if (entry.isDirectory())
      requests.push(...((await readMarkers(state.run(entry.name), ledger).catch(ignoreAbsent)) ?? []));
  return requests;
}

function noEntries(error: unknown): readonly Dirent[] {
  ignoreAbsent(error);
  return [];
}

function ignoreAbsent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

async function readMarkers(directory: string, ledger: Ledger): Promise<readonly Stored[]> {
  const run = basename(directory);
  const requests: Stored[] = [];
  for (const name of (await readdir(directory)).filter(isMarker)) {
    const { text, at } = await readMarker(`${directory}/${name}`);
    const stream = await ledger.read(run);
    const tap = openTap(foldRun(stream));
    const isTaken = stream.some(
      ({ event }) => event.type === markers[name] && event.by.via === 'marker' && event.at === at,
    );
    if (tap === null || text !== tap.hash || isTaken || !isWrittenAfter(at, openedAt(stream, tap.name))) continue;
    const request: RequestEvent = {
      type: markers[name],
      tap: tap.name,
      hash: tap.hash,
      at,
      by: { who: 'marker-file', via: 'marker' },
    };
    requests.push(await ledger.request(run, request));
  }
  return requests;
}

function openTap(state: RunState | null): { readonly name: TapName; readonly hash: RunState['hash'] } | null {
  const names = Object.keys(state?.taps ?? {}) as TapName[];
  const name = names.find((tap) => ['pending', 'held'].includes(state?.taps[tap]?.status ?? ''));
  return state === null || name === undefined ? null : { name, hash: state.hash };
}

function openedAt(stream: readonly Stored[], name: TapName): string {
  const opened = stream.findLast(({ event }) => event.type === 'tap-opened' && event.tap === name);
  if (opened === undefined) throw new Error(`${name} is open, and was never opened`);
  return opened.at;
}

const isWrittenAfter = (written: string, opened: string): boolean =>
  Date.parse(written) + coarsest >= Date.parse(opened);
/** Milliseconds that the time of a file may lie behind the clock: it is as coarse as the kernel's tick. */
const coarsest = 10;

/** Regular files only, and never more than a hash: a marker is a few bytes. `at` is when the person wrote it. */
async function readMarker(path: string): Promise<{ readonly text: string; readonly at: string }> {
  const entry = await lstat(path);
  const at = entry.mtime.toISOString();
  if (!entry.isFile()) return { text: '', at };
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(128), 0, 128, 0);
  return { text: buffer.subarray(0, bytesRead).toString('latin1').trim(), at };
}
