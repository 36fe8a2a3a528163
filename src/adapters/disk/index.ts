import { spawn } from 'node:child_process';
import { existsSync, statfsSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { DiskLimits, Holding } from '../../domain/kept/disk.ts';
import { wholeWorkspace } from '../../domain/kept/kept-paths.ts';
import type { StateDir } from '../../domain/ledger/state-dir.ts';
import type { Disk } from '../../ports/disk.ts';
import { removeUnfinished } from '../files/durable-file.ts';
import { removeTree } from '../files/remove-tree.ts';
import { objectsBeside, removeStore, unusedStores } from '../object-stores/held.ts';
import { failpoint } from '../process/failpoint.ts';
import { isOfLiving } from '../process/process-identity.ts';
import { allocatedAt, placesOf } from './kept-files.ts';

/** Workspaces are `jobs/<id>/workspace`, products what lies in `cache/setup`, copies what lies in `shells` and `copies`, edits what lies in `edits`, stores what lies in `stores`. */
export function stateDisk(state: StateDir, limits: () => Promise<DiskLimits>): Disk {
  const measured = new Map<string, number>();
  const keyOf = (holding: Found): string => `${holding.usedAt} ${placeOf(holding)}`;
  const placeOf = ({ kind, id }: Pick<Holding, 'kind' | 'id'>): string => {
    switch (kind) {
      case 'workspace':
        return join(state.job(id), 'workspace');
      case 'product':
        return join(products(state), id);
      case 'store':
        return join(state.stores, id);
      case 'copy':
      case 'edit':
        return join(state.root, id);
    }
  };
  return {
    limits,
    free: () => {
      const { bavail, bsize } = statfsSync(state.root);
      return bavail * bsize;
    },
    memory: () => process.availableMemory(),
    async holdings(signal) {
      const looks = [workspacesIn, productsIn, copiesIn, editsIn];
      const found = (await Promise.all(looks.map((look) => look(state)))).flat();
      const unknown = found.filter((holding) => !measured.has(keyOf(holding)));
      const sizes = await allocated(
        unknown.map((holding) => filesOf(placeOf(holding))),
        signal,
      );
      const holdings = found.map(
        (holding): Holding => ({
          ...holding,
          bytes: measured.get(keyOf(holding)) ?? sizes.get(filesOf(placeOf(holding))) ?? 0,
        }),
      );
      for (const holding of holdings)
        if (holding.kind === 'product' || ('over' in holding && holding.over))
          measured.set(keyOf(holding), holding.bytes);
      return [...holdings, ...unusedStores(state)];
    },
    async remove(holding) {
      failpoint('disk-remove-before');
      // Whoever copies a product at this moment sees that it is not whole any more.
      if (holding.kind === 'product') await rm(join(placeOf(holding), 'product.json'), { force: true });
      // Before the workspace: without that nobody would look for them.
      if (holding.kind === 'workspace') await removeTree(objectsBeside(placeOf(holding)));
      await (holding.kind === 'store' ? removeStore : removeTree)(placeOf(holding));
      failpoint('disk-removed');
    },
    async sizeOf(job, path) {
      const places = await placesOf(placeOf({ kind: 'workspace', id: job }), path);
      const sizes = await Promise.all(places.map(allocatedAt));
      return sizes.reduce((sum, bytes) => sum + bytes, 0);
    },
    async discard(job, path) {
      const workspace = placeOf({ kind: 'workspace', id: job });
      // Before the workspace: without that nobody would look for them.
      if (path === wholeWorkspace) await removeTree(objectsBeside(workspace));
      for (const place of await placesOf(workspace, path)) await removeTree(place);
      for (const key of measured.keys()) if (key.endsWith(` ${workspace}`)) measured.delete(key);
    },
    async tidy() {
      const jobs = (await namesIn(state.jobs)).map(state.job);
      for (const directory of [state.root, products(state), state.stores, ...jobs]) removeUnfinished(directory);
    },
  };
}

/** Of a copy or an edit only its files: the objects beside them are those of stores. */
function filesOf(place: string): string {
  const files = ['workspace', 'files'].map((name) => join(place, name));
  return files.find((path) => existsSync(objectsBeside(path)) && existsSync(path)) ?? place;
}

const products = (state: StateDir): string => join(state.cache, 'setup');

type Found = Holding extends infer H ? (H extends Holding ? Omit<H, 'bytes'> : never) : never;

async function workspacesIn(state: StateDir): Promise<readonly Found[]> {
  const ids = await namesIn(state.jobs);
  const found = await Promise.all(
    ids.map(async (id): Promise<readonly Found[]> => {
      if ((await changedAt(join(state.job(id), 'workspace'))) === null) return [];
      const ended = await changedAt(join(state.job(id), 'exit.json'));
      return [{ kind: 'workspace', id, usedAt: ended ?? 0, over: ended !== null }];
    }),
  );
  return found.flat();
}

/** One that is just being made has no `product.json` yet; it counts when it is whole. */
async function productsIn(state: StateDir): Promise<readonly Found[]> {
  const ids = await namesIn(products(state));
  const found = await Promise.all(
    ids.map(async (id): Promise<readonly Found[]> => {
      const usedAt = await changedAt(join(products(state), id, 'product.json'));
      return usedAt === null ? [] : [{ kind: 'product', id, usedAt }];
    }),
  );
  return found.flat();
}

async function copiesIn(state: StateDir): Promise<readonly Found[]> {
  const found = await Promise.all(
    [state.shells, state.copies].map(async (directory) => {
      const names = await namesIn(directory);
      return await Promise.all(
        names.map(async (name): Promise<Found> => {
          const place = join(directory, name);
          const usedAt = (await changedAt(place)) ?? 0;
          return { kind: 'copy', id: relative(state.root, place), usedAt, over: !isOfLiving(name) };
        }),
      );
    }),
  );
  return found.flat();
}

async function editsIn(state: StateDir): Promise<readonly Found[]> {
  const names = await namesIn(state.edits);
  return await Promise.all(
    names.map(async (name): Promise<Found> => {
      const place = join(state.edits, name);
      const usedAt = (await changedAt(place)) ?? 0;
      return { kind: 'edit', id: relative(state.root, place), usedAt, over: false };
    }),
  );
}

/** Blocks in use, by a process of its own: a walk over a million files must not slow down whoever asks. */
async function allocated(paths: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (let at = 0; at < paths.length; at += batch)
    for (const [, kilobytes, path] of (await du(paths.slice(at, at + batch), signal)).matchAll(/^(\d+)\t(.*)$/gm))
      sizes.set(path ?? '', Number(kilobytes) * 1024);
  return sizes;
}

const batch = 256;

/** Its exit code only says that something was gone, or closed to us, when it came by. */
function du(paths: readonly string[], signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('/usr/bin/du', ['-sk', '--', ...paths], {
      env: {},
      stdio: ['ignore', 'pipe', 'ignore'],
      ...(signal === undefined ? {} : { signal }),
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
    });
    child.once('error', reject);
    child.once('close', () => resolve(out));
  });
}

const namesIn = async (directory: string): Promise<readonly string[]> =>
  await readdir(directory).catch((error: unknown) => absentAs(error, []));

const changedAt = async (path: string): Promise<number | null> =>
  await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    (error: unknown) => absentAs(error, null),
  );

function absentAs<T>(error: unknown, value: T): T {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ENOTDIR') return value;
  throw error;
}
