/** How the machine's files are looked at. Nothing is opened but by `text`; what cannot be seen is not there. */
export type Look = {
  /** The entry itself, links not followed. */
  at(path: string): FileEntry | null;
  /** Null when there are more than `most`, or the directory cannot be listed. */
  list(directory: string, most: number): readonly Listed[] | null;
  /** Null when it is no plain file of at most 64 KB. */
  text(path: string): string | null;
};

export type FileEntry =
  | { readonly kind: 'file' | 'directory' | 'other'; readonly mode: number }
  | { readonly kind: 'link'; readonly mode: number; readonly to: string };

/** An entry of a directory, as far as the directory tells by itself. */
export type Listed = { readonly path: string; readonly kind: FileEntry['kind'] };

/** A link on the way to something, which has to be there in the fence as well. */
export type FollowedLink = { readonly path: string; readonly to: string };

export type Trail = { readonly real: string; readonly links: readonly FollowedLink[] };

/** As many as the kernel follows. */
const mostLinks = 40;

/** Where a path really leads, and each link on the way. Null when it leads nowhere. */
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

/** Asks about each path once. */
export function remembering(look: Look): Look {
  const seen = new Map<string, FileEntry | null>();
  const listed = new Map<string, readonly Listed[] | null>();
  return {
    ...look,
    at(path) {
      const known = seen.get(path);
      if (known !== undefined) return known;
      const entry = look.at(path);
      seen.set(path, entry);
      return entry;
    },
    list(directory, most) {
      const key = `${most} ${directory}`;
      const known = listed.get(key);
      if (known !== undefined) return known;
      const found = look.list(directory, most);
      listed.set(key, found);
      return found;
    },
  };
}
