import { statSync } from 'node:fs';
import { below } from '../../domain/base/lexical-path.ts';
import type { FollowedLink } from '../../domain/toolchains/look.ts';
import type { Visible } from '../../domain/toolchains/visible.ts';
import type { Bind, Host } from './host.ts';

/** A directory of which nothing is seen. */
export type Empty = { readonly target: string };

type ToolchainMounts = {
  readonly binds: readonly Bind[];
  readonly links: readonly FollowedLink[];
  readonly empty: readonly Empty[];
};

/**
 * What the PATH makes visible, as mounts. Where home is reached through a link everything in it has two names: by that link, which
 * the environment has, and the real one, which programs that were installed may have. A person's own `fence.read` and `fence.write`
 * show all that they name.
 */
export function toolchainMounts(host: Host, asked: readonly Bind[]): ToolchainMounts {
  const { home } = host;
  const visible = host.visible();
  const isUseless = isUselessIn(host, visible);
  const names = (path: string): readonly string[] => {
    const inside = home === visible.home ? null : below(visible.home, path);
    return inside === null ? [path] : [path, inside === '' ? home : `${home}/${inside}`];
  };
  const isAsked = (path: string): boolean => asked.some(({ target }) => below(target, path) !== null);
  const hidden = visible.hidden
    .filter(({ path }) => !isUseless(path))
    .flatMap(({ path, kind }) =>
      names(path)
        .filter((target) => !isAsked(target))
        .map((target) => ({ target, kind })),
    );
  return {
    links: visible.links
      .flatMap(({ path, to }) => names(path).map((name) => ({ path: name, to })))
      .filter(({ path }) => !isAsked(path) && !asked.some(({ target }) => below(path, target) !== null)),
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
 * An agent of root's is another user: what is for root alone is of no use to it, nor can it be hidden from it any better. The way to
 * what is mounted by itself need not be open.
 */
export const isUselessIn =
  ({ uid }: Pick<Host, 'uid'>, { shown }: Visible) =>
  (path: string): boolean => {
    if (uid !== 0) return false;
    const around = shown.filter((root) => root.path !== path && below(root.path, path) !== null);
    const way = around.flatMap((root) => stepsBetween(root.path, path));
    return way.some((directory) => (modeOf(directory) & 0o1) === 0) || (modeOf(path) & 0o4) === 0;
  };

/** The directories from one path down to another, without the last. */
function stepsBetween(from: string, to: string): readonly string[] {
  const steps = below(from, to)?.split('/') ?? [];
  return steps.map((_, index) => [from, ...steps.slice(0, index)].join('/'));
}

const modeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
