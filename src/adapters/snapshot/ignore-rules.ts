import ignore, { type Ignore } from 'ignore';

/** Says whether an untracked path is left out. Directories are asked first: below an ignored one nothing comes back. */
export type IgnoreRules = (path: string, isDirectory: boolean) => boolean;

/**
 * Git's rules over the `.gitignore` files of one commit, by directory (`''` is the top): the deepest file that says
 * anything about a path decides. Files that an agent wrote or changed have no say.
 */
export function ignoreRules(files: ReadonlyMap<string, string>): IgnoreRules {
  const compiled = new Map<string, Ignore>();
  for (const [directory, text] of files) compiled.set(directory, ignore({ ignorecase: false }).add(text));
  return (path, isDirectory) => {
    for (let end = path.lastIndexOf('/'); ; end = path.lastIndexOf('/', end - 1)) {
      const directory = end < 0 ? '' : path.slice(0, end);
      const said = compiled.get(directory)?.test(path.slice(end + 1) + (isDirectory ? '/' : ''));
      if (said?.ignored === true) return true;
      if (said?.unignored === true || end < 0) return false;
    }
  };
}
