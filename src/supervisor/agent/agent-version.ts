import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ending } from '../../domain/gates/evidence.ts';

/** Runs the program behind the fence; everything that it prints is heard. */
type Ask = (argv: readonly string[], hear: (chunk: Uint8Array) => void) => Promise<{ readonly ending: Ending }>;

/**
 * What the program says to `--version`; null when it says nothing of the kind. Some take seconds to say it, so it is
 * remembered in `memory` for as long as the program's file stays the same.
 */
export async function agentVersion(program: string, memory: string, ask: Ask): Promise<string | null> {
  const { mtimeMs, size } = statSync(program);
  const key = createHash('sha256').update(`${program}\0${mtimeMs}\0${size}`).digest('hex').slice(0, 16);
  const file = join(memory, key);
  if (existsSync(file)) return versionIn(readFileSync(file, 'utf8'));
  const heard: Uint8Array[] = [];
  const { ending } = await ask([program, '--version'], (chunk) => heard.push(chunk));
  const version = ending.code === 0 ? versionIn(Buffer.concat(heard).toString('utf8')) : null;
  if (version === null) return null;
  mkdirSync(memory, { recursive: true, mode: 0o700 });
  writeFileSync(file, `${version}\n`, { mode: 0o600 });
  return version;
}

/** The first line that has a version in it, such as `2.1.325 (Claude Code)`. */
const versionIn = (text: string): string | null =>
  text
    .split('\n')
    .map((line) => line.trim().slice(0, 100))
    .find((line) => /\d+\.\d+/.test(line)) ?? null;
