import { below } from '../base/lexical-path.ts';

/** Below these everything is visible in every fence anyway. */
export const inSystem = (path: string): boolean => /^\/(usr|bin|sbin|lib|lib32|lib64|nix)(\/|$)/.test(path);

/** The fence has its own; nothing of the machine's can be put there. */
export const isMadeAnew = (path: string): boolean => /^\/(proc|sys|run)(\/|$)/.test(path);

const binNames = ['bin', 'sbin', 'shims', 'scripts'];

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const above = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf('/')));
export const contains = (directory: string, path: string): boolean => below(directory, path) !== null;

/** Places of many things, of which none is visible as a whole. */
export function isWide(path: string, home: string): boolean {
  const inHome = ['.config', '.cache', '.local', '.local/share', '.local/state', '.local/lib'];
  return (
    contains(path, home) ||
    inHome.some((name) => path === `${home}/${name}`) ||
    ['/opt', '/home', '/root', '/var', '/tmp', '/srv', '/mnt', '/media', '/etc', '/dev', '/dev/shm'].includes(path)
  );
}

/**
 * Where a tool keeps what is its own, credentials among it: below a hidden directory of home, unless the name says that programs lie
 * there.
 */
export const isToolsOwn = (path: string, home: string): boolean =>
  (below(home, path)?.startsWith('.') ?? false) && !binNames.includes(nameOf(path));

/** Of `~/.local/bin` and `~/bin` the siblings are other things of the person's. */
export const hasLibraries = (path: string, home: string): boolean =>
  ['bin', 'sbin'].includes(nameOf(path)) && !isWide(above(path), home);

export const besideBin = ['lib', 'lib64', 'libexec', 'include'];
