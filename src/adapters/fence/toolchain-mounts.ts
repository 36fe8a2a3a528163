import { statSync } from 'node:fs';
import { below } from '../../domain/base/paths.ts';
import type { FollowedLink } from '../../domain/toolchains/rows.ts';
import type { Visible } from '../../domain/toolchains/visible.ts';
import type { Bind, Host } from './host.ts';

/** A directory that is shown empty. */
export type Empty = { readonly target: string };

type ToolchainMounts = {
  readonly binds: readonly Bind[];
  readonly links: readonly FollowedLink[];
  readonly empty: readonly Empty[];
};

/**
 * Returns the mounts for everything that the PATH makes visible. If home is reached through a link, each file in it has two names: the
 * one through the link, which the environment uses, and the real one, which installed programs may use. Binds of the person's own
 * `fence.read` and `fence.write` are never hidden.
 */
export function toolchainMounts(host: Host, configured: readonly Bind[]): ToolchainMounts {
  const { home } = host;
  const visible = host.visible();
  const isUseless = isUselessIn(host, visible);
  const names = (path: string): readonly string[] => {
    const inside = home === visible.home ? null : below(visible.home, path);
    return inside === null ? [path] : [path, inside === '' ? home : `${home}/${inside}`];
  };
  const isConfigured = (path: string): boolean => configured.some(({ target }) => below(target, path) !== null);
  const hidden = visible.hidden
    .filter(({ path }) => !isUseless(path))
    .flatMap(({ path, kind }) =>
      names(path)
        .filter((target) => !isConfigured(target))
        .map((target) => ({ target, kind })),
    );
  return {
    links: visible.links
      .flatMap(({ path, to }) => names(path).map((name) => ({ path: name, to })))
      .filter(({ path }) => !isConfigured(path) && !configured.some(({ target }) => below(path, target) !== null)),
    binds: [
      ...visible.shown
        .filter(({ path }) => !isUseless(path))
        .flatMap(({ path }) => names(path).map((target): Bind => ({ source: path, target, access: 'read' }))),
      ...hidden
        .filter(({ kind }) => kind === 'file')
        .map(({ target }): Bind => ({ source: '/dev/null', target, access: 'read' })),
    ],
    empty: hidden.filter(({ kind }) => kind === 'directory').map(({ target }) => ({ target })),
  };
}

/**
 * True for a path that an agent of root, who is another user, cannot read anyway. Directories that lead to a path mounted by itself
 * need not be open.
 */
export const isUselessIn =
  ({ uid }: Pick<Host, 'uid'>, { shown }: Visible) =>
  (path: string): boolean => {
    if (uid !== 0) return false;
    const roots = shown.filter((root) => root.path !== path && below(root.path, path) !== null);
    const directories = roots.flatMap((root) => stepsBetween(root.path, path));
    return directories.some((directory) => (modeOf(directory) & 0o1) === 0) || (modeOf(path) & 0o4) === 0;
  };

/** Returns the directories from one path down to another, without the last. */
function stepsBetween(from: string, to: string): readonly string[] {
  const steps = below(from, to)?.split('/') ?? [];
  return steps.map((_, index) => [from, ...steps.slice(0, index)].join('/'));
}

const modeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
