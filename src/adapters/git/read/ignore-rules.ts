import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasCode } from '../../files/state-file.ts';
import { gitFailure, keepStart, launchError, spawnGit } from '../process/index.ts';

/** Git's verdicts by the `.gitignore` files of one commit. The process that gives them starts with the first question. */
export interface IgnoreRules extends AsyncDisposable {
  /**
   * Says for each untracked path, in order, whether it or a directory above it is ignored. A directory ends with a slash.
   * Calls may overlap.
   */
  ignores(paths: readonly string[]): Promise<readonly boolean[]>;
}

/**
 * Lets git apply ignore files (directory to content; `''` is the top) in a directory of ours that holds nothing else. Files
 * that an agent wrote or changed take no part, nor do the settings of a person.
 */
export function openIgnoreRules(files: ReadonlyMap<string, string | Uint8Array>): IgnoreRules {
  const rules = [...files].filter(([directory, content]) => content.length > 0 && isPlain(directory));
  let opened: Checker | null = null;
  return {
    async ignores(paths) {
      if (rules.length === 0 || paths.length === 0) return paths.map(() => false);
      opened ??= openChecker(rules);
      return await opened.check(paths);
    },
    [Symbol.asyncDispose]: async () => await opened?.close(),
  };
}

type Checker = { check(paths: readonly string[]): Promise<readonly boolean[]>; close(): Promise<void> };
type Question = {
  readonly count: number;
  readonly answers: boolean[];
  readonly resolve: (answers: readonly boolean[]) => void;
  readonly reject: (error: Error) => void;
};

/**
 * Keeps one `check-ignore` open. It looks at the working tree only to learn whether a path is a directory, so each directory is
 * made there before its path is checked. Where a file took the place of a directory with rules, or the other way round, git would
 * be misled: such a path is not ignored, and counts as work.
 */
function openChecker(rules: readonly (readonly [string, string | Uint8Array])[]): Checker {
  const scratch = mkdtempSync(join(tmpdir(), 'tidegate-ignore-'));
  const tree = join(scratch, 'tree');
  for (const folder of ['git/objects', 'git/refs', 'tree']) mkdirSync(join(scratch, folder), { recursive: true });
  writeFileSync(join(scratch, 'git/HEAD'), 'ref: refs/heads/none\n');
  for (const [directory, content] of rules) {
    mkdirSync(join(tree, directory), { recursive: true });
    writeFileSync(join(tree, directory, '.gitignore'), content);
  }
  const withRules = new Set(rules.flatMap(([directory]) => stepsTo(directory)));
  const call = {
    gitDir: join(scratch, 'git'),
    workTree: tree,
    config: ['core.excludesFile=/dev/null', 'core.ignoreCase=false'],
    // a path is never a pattern here, but check-ignore refuses the option that says so
    args: ['--no-literal-pathspecs', 'check-ignore', '--stdin', '-z', '--verbose', '--non-matching', '--no-index'],
  };
  const child = spawnGit(call);
  const stderr = keepStart(child);
  const queue: Question[] = [];
  let failure: Error | null = null;
  const fail = (error: Error): void => {
    failure ??= error;
    for (const question of queue.splice(0)) question.reject(failure);
  };
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.once('error', (error) => fail(launchError(call, error)));
  child.once('close', (code) => fail(gitFailure(call, code, stderr())));
  child.stdin?.on('error', () => undefined);

  const answer = (isIgnored: boolean): void => {
    const [question] = queue;
    question?.answers.push(isIgnored);
    if (question !== undefined && question.answers.length === question.count) queue.shift()?.resolve(question.answers);
  };
  child.stdout?.setEncoding('latin1').on('data', readAnswers(answer));

  return {
    check: (paths) =>
      new Promise((resolve, reject) => {
        if (failure !== null) return reject(failure);
        const isAskable = paths.map((path) =>
          path.endsWith('/') ? makeDirectory(join(tree, path)) : !withRules.has(path),
        );
        const settle = (answers: readonly boolean[]) =>
          resolve(answers.map((isIgnored, at) => isIgnored && isAskable[at] === true));
        queue.push({ count: paths.length, answers: [], resolve: settle, reject });
        // a colon at the start would mean something else
        child.stdin?.write(paths.map((path) => `./${path.replace(/\/$/, '')}\0`).join(''));
      }),
    async close() {
      child.stdin?.end();
      await closed;
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** Reads `source NUL line NUL pattern NUL path NUL`. No source: no pattern matches. The last pattern that does may say `!`. */
function readAnswers(answer: (isIgnored: boolean) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const fields = `${rest}${text}`.split('\0');
    let at = 0;
    for (; at + 4 < fields.length; at += 4) answer(fields[at] !== '' && fields[at + 2]?.startsWith('!') === false);
    rest = fields.slice(at).join('\0');
  };
}

/** False where an ignore file of the base is, and where the path is too long. */
function makeDirectory(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true });
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST', 'ENOTDIR', 'ENAMETOOLONG')) throw error;
    return false;
  }
}

/** `a/b`: `a`, `a/b`. */
const stepsTo = (directory: string): readonly string[] =>
  directory.split('/').map((_, at, steps) => steps.slice(0, at + 1).join('/'));

/** No step of the path leads out of the directory. */
const isPlain = (directory: string): boolean =>
  directory === '' || !directory.split('/').some((step) => step === '' || step === '.' || step === '..');
