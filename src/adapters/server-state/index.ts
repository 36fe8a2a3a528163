import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync, watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { claimDurably, writeDurably, writeWhole } from '../files/durable-file.ts';
import { readCache } from '../files/state-file.ts';
import { identify, isAlive } from '../process/process-identity.ts';

/** The files that a server shares with commands of the same person: its secret, and its address. */
type ServerState = {
  /** 256 bits, made at the first call, readable only by the person. An error when others can read it, or made it. */
  secret(): Result<Buffer, string>;
  /** Makes every earlier token and cookie invalid, also for a running server. */
  renewSecret(): void;
  /** Calls `changed` soon after the secret may have changed. */
  watchSecret(changed: () => void): Disposable;
  /** The living server of this person, if there is one. */
  serving(): Serving | null;
  recordServing(url: string): void;
  forgetServing(): void;
};
type Serving = { readonly url: string; readonly pid: number };

class KeyUnsafe extends Error {
  override readonly name = 'KeyUnsafe';
}

const servingSchema = z.strictObject({
  url: z.string(),
  pid: z.int(),
  startTime: z.string(),
  bootId: z.string(),
});

/** Repositories keep their state below `root`. */
export async function serverState(root: string): Promise<ServerState> {
  const directory = join(root, 'server');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const [keyFile, servingFile] = [join(directory, 'key'), join(directory, 'serving.json')];
  return {
    secret: () => {
      claimDurably(keyFile, newKey());
      try {
        return ok(privately(keyFile, (text) => parsed(text, keyFile)));
      } catch (error) {
        if (error instanceof KeyUnsafe) return err(error.message);
        throw error;
      }
    },
    watchSecret: (changed) => {
      const watcher = watch(directory, (_, name) => {
        if (name === null || name === basename(keyFile)) changed();
      });
      return { [Symbol.dispose]: () => watcher.close() };
    },
    renewSecret: () => writeDurably(keyFile, newKey()),
    serving: () => {
      const found = readCache(servingFile, (text) => servingSchema.parse(JSON.parse(text)));
      return found === null || !isAlive(found) ? null : { url: found.url, pid: found.pid };
    },
    recordServing: (url) => writeWhole(servingFile, `${JSON.stringify({ url, ...identify() })}\n`),
    forgetServing: () => rmSync(servingFile, { force: true }),
  };
}

/** Checks and reads a file through one descriptor, so that no link can lead elsewhere. */
function privately<T>(path: string, read: (text: string) => T): T {
  const file = openUnlinked(path);
  try {
    const stats = fstatSync(file);
    const { mode, uid } = stats;
    if ((mode & 0o077) !== 0) throw new KeyUnsafe(`others can read ${path}; renew it: tidegate token --renew`);
    if (uid !== process.getuid?.())
      throw new KeyUnsafe(`${path} belongs to somebody else; renew it: tidegate token --renew`);
    if (!stats.isFile())
      throw new KeyUnsafe(`${path} is no file; move it away, then renew it with tidegate token --renew`);
    return read(readFileSync(file, 'utf8'));
  } finally {
    closeSync(file);
  }
}

function openUnlinked(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP')
      throw new KeyUnsafe(`${path} is a link; renew it: tidegate token --renew`);
    throw error;
  }
}

const newKey = (): string => `${randomBytes(32).toString('base64url')}\n`;

function parsed(text: string, file: string): Buffer {
  const secret = Buffer.from(text.trim(), 'base64url');
  if (secret.length !== 32) throw new KeyUnsafe(`${file} holds no key; renew it: tidegate token --renew`);
  return secret;
}
