import { below, resolvePath } from '../../domain/base/lexical-path.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';

type Place = { readonly checkout: string; readonly cwd: string };

/**
 * Returns the changed files that a person named, or the first name that is none of them. A name counts from where the person is, else
 * from the top, as the commands that Tidegate proposes have it. A directory stands for all below it.
 */
export function namedChanges(
  names: readonly string[],
  { checkout, cwd }: Place,
  changed: readonly string[],
): Result<ReadonlySet<string>, { readonly name: string; readonly isOutside: boolean }> {
  const found = new Set<string>();
  for (const name of names) {
    const from = below(checkout, cwd) === null ? checkout : cwd;
    const places = [from, checkout].map((directory) => below(checkout, resolvePath(directory, name)));
    const inside = places.filter((place) => place !== null);
    const met = inside
      .map((place) => changed.filter((path) => place === '' || below(place, path) !== null))
      .find((paths) => paths.length > 0);
    if (met === undefined) return err({ name, isOutside: inside.length === 0 });
    for (const path of met) found.add(path);
  }
  return ok(found);
}
