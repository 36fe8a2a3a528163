import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeDurably } from '../../adapters/files/durable-file.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Tokens that a person gave to `tidegate auth`, by the variable that an agent knows them by. Beside their configuration; never in a
 * repository or a state directory.
 */
export function tokensFile(environment: Variables, home: string): string {
  const base = environment['XDG_CONFIG_HOME'];
  return join(base?.startsWith('/') ? base : join(home, '.config'), 'tidegate', 'tokens.json');
}

/** What is kept, or nothing when others can read it: whoever could read could have written. */
export function storedTokens(file: string): Readonly<Record<string, string>> {
  if (!isPrivate(file)) return {};
  try {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Object.fromEntries(Object.entries(kept ?? {}).filter(([, value]) => typeof value === 'string'));
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code !== undefined) return {};
    throw error;
  }
}

export function isPrivate(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined || ((found.mode & 0o077) === 0 && found.uid === process.getuid?.());
}

export function storeToken(file: string, name: string, token: string): void {
  const kept = storedTokens(file);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeDurably(file, `${JSON.stringify({ ...kept, [name]: token }, null, 2)}\n`);
}

/** A token in the environment goes first, whichever of the agent's it is. */
export function withStoredTokens(ours: Variables, credentials: readonly string[], file: string): Variables {
  if (credentials.some((name) => ours[name])) return ours;
  const kept = storedTokens(file);
  const own = credentials.flatMap((name) => (kept[name] === undefined ? [] : [[name, kept[name]] as const]));
  return { ...ours, ...Object.fromEntries(own) };
}
