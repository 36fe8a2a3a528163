import { accessSync, constants, existsSync, lstatSync, readFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { CommitId } from '../../../domain/base/ids.ts';
import { explain } from '../../../domain/explain/explain.ts';
import type { Finding, FindingOf } from '../../../domain/findings/finding.ts';
import { skippableHooks } from '../../../domain/findings/repository-rules.ts';
import { boundedWords } from '../../../domain/findings/words.ts';
import type { CheckoutState } from '../../../domain/gates/preflight.ts';
import { secretSpans } from '../../../domain/secrets/secret-shapes.ts';
import { hasCode } from '../../files/state-file.ts';
import { git, gitLine, objectId, runGit } from '../process/index.ts';
import { asPerson, readAuthor } from './person.ts';
import { splitNul } from './tree.ts';

/** The parts of a person's checkout. In a linked worktree `commonDir` is the main repository's. */
type Checkout = { readonly toplevel: string; readonly gitDir: string; readonly commonDir: string };

/** There is no git working tree at this place. */
export class NotARepository extends Error {
  override readonly name = 'NotARepository';
  readonly finding: FindingOf<'not-a-repository'>;
  constructor(directory: string) {
    const finding = { rule: 'not-a-repository', directory } as const;
    super(explain(finding).detail);
    this.finding = finding;
  }
}

export async function findCheckout(directory: string): Promise<Checkout> {
  const ask = ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-dir', '--git-common-dir'];
  const answer = await runGit({ cwd: directory, args: ask });
  if (answer.exitCode !== 0) throw new NotARepository(directory);
  const [toplevel = '', gitDir = '', commonDir = ''] = answer.stdout.toString('utf8').split('\n');
  return { toplevel: await realpath(toplevel), gitDir, commonDir: await realpath(commonDir) };
}

export async function objectFormat(gitDir: string): Promise<'sha1' | 'sha256'> {
  const format = (await git({ gitDir, args: ['rev-parse', '--show-object-format'] })).toString('utf8').trim();
  return format === 'sha256' ? 'sha256' : 'sha1';
}

/**
 * Lists files of a person's checkout that no commit holds. Their ignore rules and line ends count, as for their own `git status`; no hook, monitor or
 * filter but that of LFS runs. `owned`: paths at which ignored files are looked for, too.
 */
export async function readCheckoutState(
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
  owned: readonly string[],
): Promise<CheckoutState> {
  const { toplevel } = await findCheckout(directory);
  return await asPerson(env, async (environment) => {
    const person = { cwd: toplevel, env: environment };
    const options = ['--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=all'];
    const config = await withoutFilters(person);
    const lines = splitNul(await git({ ...person, config, args: ['status', ...options] }));
    const pathsOf = (isNew: boolean) =>
      lines.filter((line) => line.startsWith('??') === isNew).map((line) => line.slice(3));
    const head = await runGit({ ...person, args: ['symbolic-ref', '--quiet', '--short', 'HEAD'] });
    const branch = head.exitCode === 0 ? head.stdout.toString('utf8').trim() : null;
    const untracked = pathsOf(true);
    return { branch, changed: pathsOf(false), untracked, ignored: await ignoredAmong(person, untracked, owned) };
  });
}

type Place = { readonly cwd: string; readonly env: Readonly<Record<string, string>> };

/** Settings that switch every filter off that the person has configured, but for LFS: without it each of its files would seem changed. */
async function withoutFilters(person: Place): Promise<readonly string[]> {
  const args = ['config', '--name-only', '--null', '--get-regexp', '^filter\\..*\\.(clean|process)$'];
  const { stdout } = await runGit({ ...person, args });
  const names = stdout
    .toString('utf8')
    .split('\0')
    .map((key) => key.replace(/^filter\./, '').replace(/\.(clean|process)$/, ''));
  return [...new Set(names)]
    .filter((name) => name !== '' && name !== 'lfs' && !name.includes('='))
    .flatMap((name) => [`filter.${name}.clean=`, `filter.${name}.process=`, `filter.${name}.required=false`]);
}

async function ignoredAmong(
  person: Place,
  untracked: readonly string[],
  owned: readonly string[],
): Promise<readonly string[]> {
  const files = owned.filter((path) => !untracked.includes(path) && isFile(join(person.cwd, path)));
  if (files.length === 0) return [];
  const tracked = new Set(splitNul(await git({ ...person, args: ['ls-files', '-z', '--', ...files] })));
  return files.filter((path) => !tracked.has(path));
}

const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false;

/** Larger files are read by the merger, which refuses them too. */
const largest = 20_000_000;

/** Finds new secrets in these files of a checkout: those that the commit has as well are left out. Returns names of rules, never the match. */
export async function secretsInCheckout(
  checkout: string,
  paths: readonly string[],
  before: CommitId,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const path of paths) {
    const matches = matchesIn(contentOf(join(checkout, path)));
    if (matches.size === 0) continue;
    const old = await runGit({ cwd: checkout, args: ['cat-file', 'blob', `${objectId(before)}:${path}`] });
    const oldMatches = matchesIn(old.exitCode === 0 ? old.stdout.toString('latin1') : '');
    const shapes = new Set([...matches].flatMap(([match, shape]) => (oldMatches.has(match) ? [] : [shape])));
    for (const shape of shapes) findings.push({ rule: 'uncommitted-secret', shape, where: path });
  }
  return findings;
}

function contentOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size <= largest ? readFileSync(path, 'latin1') : '';
}

const matchesIn = (text: string): ReadonlyMap<string, string> =>
  new Map(secretSpans(text).map(({ rule, from, to }) => [text.slice(from, to), rule]));

/**
 * The person's hooks that would run if they made the commits of a run themselves, or with `pushes` the push: ours run none.
 * Those of git-lfs are left out: we do what they do.
 */
export async function findSkippedHooks(
  checkout: string,
  env: Readonly<Record<string, string | undefined>>,
  { pushes }: { readonly pushes: boolean },
): Promise<Finding | null> {
  const directory = await hooksDirectory(checkout, env);
  const hooks = skippableHooks.filter((name) => (pushes || name !== 'pre-push') && isOwn(join(directory, name), name));
  return hooks.length === 0 ? null : { rule: 'hooks-skipped', hooks, directory };
}

/** Finds them by `core.hooksPath` of the repository or of the person; husky keeps what people wrote beside the directory that it names. */
async function hooksDirectory(checkout: string, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const { commonDir, toplevel } = await findCheckout(checkout);
  const { HOME: home = '/', XDG_CONFIG_HOME: xdg = `${home}/.config`, GIT_CONFIG_GLOBAL: named } = env;
  const files = named === undefined ? [`${home}/.gitconfig`, `${xdg}/git/config`] : [named];
  const sources = [['--local'], ...files.filter(existsSync).map((file) => ['--file', file])];
  for (const source of sources) {
    const args = ['config', ...source, '--type=path', '--get', 'core.hooksPath'];
    const setting = await runGit({ cwd: toplevel, env: { HOME: home }, args });
    const path = setting.exitCode === 0 ? setting.stdout.toString('utf8').trim() : '';
    if (path === '') continue;
    const whole = isAbsolute(path) ? path : join(toplevel, path);
    return basename(whole) === '_' ? dirname(whole) : whole;
  }
  return join(commonDir, 'hooks');
}

function isOwn(file: string, name: string): boolean {
  try {
    // husky runs files that are not executable
    if (!file.includes('/.husky/')) accessSync(file, constants.X_OK);
    return !readFileSync(file, 'utf8').includes(`git lfs ${name}`);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR', 'ELOOP')) return false;
    throw error;
  }
}

/** Signing programs may ask for a passphrase or a touch. */
const patienceMs = 60_000;

/** Signs a commit as the merger will, in a repository that is removed at once. Null: it works, or the person signs nothing. */
export async function trySigning(
  checkout: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Finding | null> {
  return await asPerson(env, async (environment, directory) => {
    const author = await readAuthor(checkout, environment);
    if (!author.ok || author.value.signing === undefined) return null;
    const { by, signing } = author.value;
    const gitDir = join(directory, 'try.git');
    const format = await objectFormat((await findCheckout(checkout)).gitDir);
    await git({ args: ['init', '--quiet', '--bare', `--object-format=${format}`, gitDir] });
    const tree = await gitLine({ gitDir, args: ['hash-object', '-t', 'tree', '-w', '--stdin'], stdin: '' });
    const identity = (who: string) => ({ [`GIT_${who}_NAME`]: by.name, [`GIT_${who}_EMAIL`]: by.email });
    const stop = AbortSignal.timeout(patienceMs);
    const ended = await runGit({
      gitDir,
      args: ['commit-tree', '--gpg-sign', '-m', 'Try to sign', tree],
      config: [...signing.config],
      env: { ...signing.env, ...identity('AUTHOR'), ...identity('COMMITTER') },
      signal: stop,
    }).catch((error: unknown) => {
      if (stop.aborted) return null;
      throw error;
    });
    if (ended?.exitCode === 0) return null;
    const words = ended === null ? `no answer within ${patienceMs / 1000} seconds` : ended.stderr.trim();
    return { rule: 'signing-fails', words: boundedWords(words.replaceAll(/\s*\n\s*/g, '; '), 300) };
  });
}
