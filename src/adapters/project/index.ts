import { access, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, isAbsent } from '../state-directory/absent.ts';

/** What a project's own files say about building and testing it. */
export type Project = {
  /** Brings in dependencies; run once per workspace. */
  readonly setup: string | null;
  readonly checks: readonly { readonly name: string; readonly run: string }[];
  /** Files that a tool writes, and the command that does. */
  readonly generated: Readonly<Record<string, string>>;
};

/** Looks at well-known files only; runs nothing. */
export async function detectProject(directory: string): Promise<Project> {
  const has = async (name: string): Promise<boolean> => await exists(join(directory, name));
  const manager = await packageManager(has);
  const scripts = await npmScripts(join(directory, 'package.json'));
  const checks = ['test', 'lint', 'typecheck']
    .filter((name) => scripts[name] !== undefined && !scripts[name].includes('no test specified'))
    .map((name) => ({ name, run: name === 'test' ? `${manager.name} test` : `${manager.name} run ${name}` }));
  if (Object.keys(scripts).length > 0 || manager.setup !== null) {
    return { setup: manager.setup, checks, generated: manager.generated };
  }
  for (const { file, setup, run } of others) {
    if (await has(file)) return { setup, checks: [{ name: 'test', run }], generated: {} };
  }
  return { setup: null, checks: [], generated: {} };
}

/** First one present wins; the more specific stands first. */
const others = [
  { file: 'Cargo.toml', setup: null, run: 'cargo test' },
  { file: 'go.mod', setup: null, run: 'go test ./...' },
  { file: 'uv.lock', setup: 'uv sync --frozen', run: 'uv run pytest' },
  { file: 'pyproject.toml', setup: null, run: 'python3 -m pytest' },
  { file: 'test.sh', setup: null, run: 'sh test.sh' },
] as const;

type Manager = { name: string; setup: string | null; generated: Record<string, string> };

async function packageManager(has: (name: string) => Promise<boolean>): Promise<Manager> {
  if (await has('pnpm-lock.yaml')) return { name: 'pnpm', setup: 'pnpm install --frozen-lockfile', generated: {} };
  if (await has('yarn.lock')) return { name: 'yarn', setup: 'yarn install --immutable', generated: {} };
  if (await has('bun.lock')) return { name: 'bun', setup: 'bun install --frozen-lockfile', generated: {} };
  if (!(await has('package-lock.json'))) return { name: 'npm', setup: null, generated: {} };
  return { name: 'npm', setup: 'npm ci', generated: { 'package-lock.json': 'npm install --package-lock-only' } };
}

/** A file that is no JSON object has no scripts; saying so is the package manager's business. */
async function npmScripts(file: string): Promise<Readonly<Record<string, string>>> {
  try {
    const parsed: unknown = JSON.parse(await readFile(file, 'utf8'));
    const scripts = isRecord(parsed) && isRecord(parsed['scripts']) ? parsed['scripts'] : {};
    return Object.fromEntries(
      Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch (error) {
    if (isAbsent(error) || error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Writes a file that must not be there yet. With `replace` the old one is kept beside it as `<name>.old`. */
export async function writeNewFile(
  path: string,
  text: string,
  { replace }: { readonly replace: boolean },
): Promise<'written' | 'replaced' | 'exists'> {
  try {
    await writeFile(path, text, { flag: 'wx' });
    return 'written';
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    if (!replace) return 'exists';
  }
  await rename(path, `${path}.old`);
  await writeFile(path, text, { flag: 'wx' });
  return 'replaced';
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
