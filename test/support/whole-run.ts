import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as nextLook } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';
import { commandLine, environmentOf, otherProcesses } from './processes.ts';

/** Before all tests and after them: one place for what is temporary, and nothing alive in the end that worked there. */
export default function wholeRun({ config }: TestProject): () => Promise<void> {
  const place = mkdtempSync(join(scratch(), 'tg-'));
  // Some tests work as another user.
  chmodSync(place, 0o755);
  config.env['TMPDIR'] = place;
  // Our processes start a thousand times: what Node compiled once is kept, as bin/ does for people.
  config.env['NODE_COMPILE_CACHE'] = join(place, 'compiled');
  return async () => {
    const left = await leftAfter(5_000, place);
    for (const { pid, words } of left) console.error(`left over from a test: process ${pid}: ${words}`);
    // What a program of others leaves behind is named only.
    if (left.some(({ words }) => words.includes('/dist/main/'))) process.exitCode = 1;
    rmSync(place, { recursive: true, force: true });
  };
}

/** Temporary repositories and ledgers flush to disk all the time; where there is room they live in memory instead. */
function scratch(): string {
  const memory = '/dev/shm';
  const free = existsSync(memory) ? statfsSync(memory).bavail * statfsSync(memory).bsize : 0;
  return free > 4 * 2 ** 30 ? memory : tmpdir();
}

type Left = { readonly pid: string; readonly words: string };

/** Who was told to leave just now is given a moment. */
async function leftAfter(patience: number, place: string): Promise<readonly Left[]> {
  const until = performance.now() + patience;
  for (let left = workingAt(place); ; left = workingAt(place)) {
    if (left.length === 0 || performance.now() > until) return left;
    await nextLook(50);
  }
}

/** Processes that have the place in their words or in their environment; not the workers that run tests. */
const workingAt = (place: string): readonly Left[] =>
  otherProcesses()
    .filter((pid) => `${commandLine(pid)}${environmentOf(pid).join()}`.includes(place))
    .map((pid) => ({ pid, words: commandLine(pid).replaceAll('\0', ' ') }))
    .filter(({ words }) => words !== '' && !words.includes('vitest'));
