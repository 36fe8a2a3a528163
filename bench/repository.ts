import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { run } from './process.ts';

/** A place of its own for one measurement; removed with the scope. A stranger may enter: agents run as nobody. */
export function place() {
  const root = mkdtempSync(join(tmpdir(), 'tidegate-bench-'));
  chmodSync(root, 0o755);
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

/** A checkout with `files` small files, twenty to a directory, and a plan, all committed on main. */
export async function makeRepository(checkout: string, files: number, plan: object): Promise<void> {
  for (let index = 0; index < files; index += 1) {
    const directory = join(checkout, 'src', `part-${Math.floor(index / 20)}`);
    if (index % 20 === 0) mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `file-${index}.txt`), `${`line of file ${index}\n`.repeat(20)}`);
  }
  writeFileSync(join(checkout, 'plan.yaml'), stringify(plan));
  const git = (...args: string[]) => run('git', args, { cwd: checkout });
  await git('init', '-q', '-b', 'main');
  await git('config', 'user.name', 'Ada');
  await git('config', 'user.email', 'ada@example.com');
  await git('add', '-A');
  await git('commit', '-q', '-m', 'first');
}

/** The same content for the work by hand: bare, like the repository that Tidegate keeps for itself. */
export async function makeBare(checkout: string, bare: string): Promise<string> {
  await run('git', ['clone', '-q', '--bare', '--no-local', checkout, bare]);
  return (await run('git', ['-C', bare, 'rev-parse', 'main'])).trim();
}
