import { spawn } from 'node:child_process';
import { type Dirent, existsSync, statfsSync } from 'node:fs';
import { lstat, readdir, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { bytesOfShown } from '../../domain/base/paths.ts';
import type { DiskLimits, Holding } from '../../domain/kept/disk.ts';
import { wholeWorkspace } from '../../domain/kept/kept.ts';
import type { StateDir } from '../../domain/ledger/state-dir.ts';
import type { Disk } from '../../ports/disk.ts';
import { removeUnfinished } from '../files/durable-file.ts';
import { removeTree } from '../files/remove-tree.ts';
import { absentAsNull } from '../files/state-file.ts';
import { objectsBeside, removeStore, unusedStores } from '../git/stores/link-store.ts';
import { failpoint } from '../process/failpoint.ts';
import { isOfLiving } from '../process/process-identity.ts';

/**
 * Disk use of the state directory. Workspaces are `jobs/<id>/workspace`, evidence is in `jobs/<id>/evidence`, proofs of people in
 * `runs/<run>/proofs`, products in `cache/setup`, copies in `shells` and `copies`,
 * edits in `edits`, stores in `stores`.
 */
export function stateDisk(state: StateDir, limits: () => Promise<DiskLimits>): Disk {
  const measured = new Map<string, number>();
  const keyOf = (holding: UnmeasuredHolding): string => `${holding.usedAt} ${placeOf(holding)}`;
  const placeOf = ({ kind, id }: Pick<Holding, 'kind' | 'id'>): string => {
    switch (kind) {
      case 'workspace':
        return join(state.job(id), 'workspace');
      case 'evidence':
        return state.evidence(id);
      case 'proofs':
        return state.proofs(id);
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
      const lists = [workspacesIn, evidenceIn, proofsIn, productsIn, copiesIn, editsIn].map((list) => list(state));
      const unmeasured = (await Promise.all(lists)).flat();
      const unknown = unmeasured.filter((holding) => !measured.has(keyOf(holding)));
      const sizes = await allocated(
        unknown.map((holding) => filesOf(placeOf(holding))),
        signal,
      );
      const holdings = unmeasured.map(
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
      // First: a process that copies the product now sees that it is not complete any more.
      if (holding.kind === 'product') await rm(join(placeOf(holding), 'product.json'), { force: true });
      // Before the workspace: once that is gone, nothing leads to its objects.
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
      // Before the workspace: once that is gone, nothing leads to its objects.
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

/** The files of a copy or an edit without the objects beside them, which belong to stores. */
function filesOf(place: string): string {
  const files = ['workspace', 'files'].map((name) => join(place, name));
  return files.find((path) => existsSync(objectsBeside(path)) && existsSync(path)) ?? place;
}

const products = (state: StateDir): string => join(state.cache, 'setup');

type UnmeasuredHolding = Holding extends infer H ? (H extends Holding ? Omit<H, 'bytes'> : never) : never;

async function workspacesIn(state: StateDir): Promise<readonly UnmeasuredHolding[]> {
  const ids = await namesIn(state.jobs);
  const found = await Promise.all(
    ids.map(async (id): Promise<readonly UnmeasuredHolding[]> => {
      if ((await changedAt(join(state.job(id), 'workspace'))) === null) return [];
      const ended = await changedAt(join(state.job(id), 'exit.json'));
      return [{ kind: 'workspace', id, usedAt: ended ?? 0, over: ended !== null }];
    }),
  );
  return found.flat();
}

async function evidenceIn(state: StateDir): Promise<readonly UnmeasuredHolding[]> {
  const ids = await namesIn(state.jobs);
  const found = await Promise.all(
    ids.map(async (id): Promise<readonly UnmeasuredHolding[]> => {
      if ((await changedAt(state.evidence(id))) === null) return [];
      const ended = await changedAt(join(state.job(id), 'exit.json'));
      return [{ kind: 'evidence', id, usedAt: ended ?? 0, over: ended !== null }];
    }),
  );
  return found.flat();
}

async function proofsIn(state: StateDir): Promise<readonly UnmeasuredHolding[]> {
  const runs = await namesIn(state.runs);
  const found = await Promise.all(
    runs.map(async (id): Promise<readonly UnmeasuredHolding[]> => {
      const usedAt = await changedAt(state.proofs(id));
      return usedAt === null ? [] : [{ kind: 'proofs', id, usedAt }];
    }),
  );
  return found.flat();
}

/** A product that is still being made has no `product.json` and does not count yet. */
async function productsIn(state: StateDir): Promise<readonly UnmeasuredHolding[]> {
  const ids = await namesIn(products(state));
  const found = await Promise.all(
    ids.map(async (id): Promise<readonly UnmeasuredHolding[]> => {
      const usedAt = await changedAt(join(products(state), id, 'product.json'));
      return usedAt === null ? [] : [{ kind: 'product', id, usedAt }];
    }),
  );
  return found.flat();
}

async function copiesIn(state: StateDir): Promise<readonly UnmeasuredHolding[]> {
  const found = await Promise.all(
    [state.shells, state.copies].map(async (directory) => {
      const names = await namesIn(directory);
      return await Promise.all(
        names.map(async (name): Promise<UnmeasuredHolding> => {
          const place = join(directory, name);
          const usedAt = (await changedAt(place)) ?? 0;
          return { kind: 'copy', id: relative(state.root, place), usedAt, over: !isOfLiving(name) };
        }),
      );
    }),
  );
  return found.flat();
}

async function editsIn(state: StateDir): Promise<readonly UnmeasuredHolding[]> {
  const names = await namesIn(state.edits);
  return await Promise.all(
    names.map(async (name): Promise<UnmeasuredHolding> => {
      const place = join(state.edits, name);
      const usedAt = (await changedAt(place)) ?? 0;
      return { kind: 'edit', id: relative(state.root, place), usedAt, over: false };
    }),
  );
}

/** Measures allocated blocks in a process of its own: a walk over a million files must not block the caller. */
async function allocated(paths: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (let at = 0; at < paths.length; at += batch)
    for (const [, kilobytes, path] of (await du(paths.slice(at, at + batch), signal)).matchAll(/^(\d+)\t(.*)$/gm))
      sizes.set(path ?? '', Number(kilobytes) * 1024);
  return sizes;
}

const batch = 256;

/** Runs `du`. Its exit code is ignored: it only tells that a file vanished or was unreadable. */
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
  (await readdir(directory).catch(absentAsNull)) ?? [];

const changedAt = async (path: string): Promise<number | null> =>
  await stat(path).then(({ mtimeMs }) => mtimeMs, absentAsNull);

/**
 * Returns the files behind a path as people see it. Links are not followed. A name with a masked credential is matched by its other
 * parts, so there may be several files.
 */
async function placesOf(workspace: string, shown: string): Promise<readonly Buffer[]> {
  const root = Buffer.from(workspace);
  if (shown === wholeWorkspace) return (await isDirectory(root)) ? [root] : [];
  const bytes = bytesOfShown(shown);
  const names = Buffer.from(bytes ?? [])
    .toString('latin1')
    .split('/');
  if (bytes === null || names.some((name) => ['', '.', '..'].includes(name))) return [];
  let matches: readonly Buffer[] = [root];
  for (const name of names) {
    const entries = matches.map(async (directory) =>
      (await isDirectory(directory)) ? entriesOf(directory, name) : [],
    );
    matches = (await Promise.all(entries)).flat();
  }
  return matches;
}

/** Sums the allocated blocks of a file or a tree. Files that vanish meanwhile, are unreadable or lie too deep count nothing. */
async function allocatedAt(place: Buffer): Promise<number> {
  const stats = await lstat(place).catch(unreadableAsNull);
  if (stats === null) return 0;
  if (!stats.isDirectory()) return stats.blocks * 512;
  const names = (await readdir(place, { encoding: 'buffer' }).catch(unreadableAsNull)) ?? [];
  let sum = stats.blocks * 512;
  for (const name of names) sum += await allocatedAt(inside(place, name));
  return sum;
}

const inside = (directory: Buffer, name: Buffer): Buffer => Buffer.concat([directory, Buffer.from('/'), name]);

/** Returns the entries with this name. */
async function entriesOf(directory: Buffer, name: string): Promise<readonly Buffer[]> {
  const fits = new RegExp(`^${name.split(mask).map(literally).join('[^]*')}$`);
  const entries: readonly Dirent<Buffer>[] = await readdir(directory, { withFileTypes: true, encoding: 'buffer' });
  return entries
    .filter((entry) => fits.test(entry.name.toString('latin1')))
    .map((entry) => inside(directory, entry.name));
}

/** The mark in place of a credential, with the rule that matched it. */
const mask = /\[redacted(?: [\w-]+)?\]/;
const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

const isDirectory = async (place: Buffer): Promise<boolean> =>
  (await lstat(place).catch(absentAsNull))?.isDirectory() === true;

const unreadableAsNull = (error: NodeJS.ErrnoException): null =>
  ['EACCES', 'ENAMETOOLONG'].includes(error.code ?? '') ? null : absentAsNull(error);
