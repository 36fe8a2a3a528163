/** Reads the machine's files. Only `text` opens a file. A path that cannot be read counts as absent. */
export type Look = {
  /** Returns the entry itself; links are not followed. */
  at(path: string): FileEntry | null;
  /** Null when there are more than `most`, or the directory cannot be listed. */
  list(directory: string, most: number): readonly Listed[] | null;
  /** Null when it is no plain file of at most 64 KB. */
  text(path: string): string | null;
};

export type FileEntry =
  | { readonly kind: 'file' | 'directory' | 'other'; readonly mode: number }
  | { readonly kind: 'link'; readonly mode: number; readonly to: string };

/** An entry as its directory lists it. */
export type Listed = { readonly path: string; readonly kind: FileEntry['kind'] };

/** A link that must exist in the fence as well, because a path leads through it. */
export type FollowedLink = { readonly path: string; readonly to: string };

export type Trail = { readonly real: string; readonly links: readonly FollowedLink[] };

/** The kernel's limit. */
const mostLinks = 40;

/** Resolves a path and returns each link on the way. Null when it leads nowhere. */
export function follow(look: Pick<Look, 'at'>, path: string): Trail | null {
  const links: FollowedLink[] = [];
  let rest = path.split('/');
  let real = '';
  while (rest.length > 0) {
    const [step = '', ...next] = rest;
    rest = next;
    if (step === '..') real = real.slice(0, Math.max(0, real.lastIndexOf('/')));
    if (step === '' || step === '.' || step === '..') continue;
    const entry = look.at(`${real}/${step}`);
    if (entry === null) return null;
    if (entry.kind !== 'link') {
      real = `${real}/${step}`;
      continue;
    }
    if (links.push({ path: `${real}/${step}`, to: entry.to }) > mostLinks) return null;
    if (entry.to.startsWith('/')) real = '';
    rest = [...entry.to.split('/'), ...rest];
  }
  return { real: real === '' ? '/' : real, links };
}

export const isProgram = (entry: FileEntry | null): boolean => entry?.kind === 'file' && (entry.mode & 0o111) !== 0;

/** Reads each path once. */
export function cachedLook(look: Look): Look {
  const entries = new Map<string, FileEntry | null>();
  const lists = new Map<string, readonly Listed[] | null>();
  return {
    ...look,
    at(path) {
      const cached = entries.get(path);
      if (cached !== undefined) return cached;
      const entry = look.at(path);
      entries.set(path, entry);
      return entry;
    },
    list(directory, most) {
      const key = `${most} ${directory}`;
      const cached = lists.get(key);
      if (cached !== undefined) return cached;
      const list = look.list(directory, most);
      lists.set(key, list);
      return list;
    },
  };
}
