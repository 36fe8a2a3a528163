import { accessSync, constants } from 'node:fs';

/**
 * A fence as a person would type it: everything read-only, the workspace writable, namespaces of its own, and nobody
 * instead of root. It proves nothing and hides little; it is what cannot be saved.
 * @param {string} workspace
 * @param {string} script
 * @returns {[string, ...string[]]}
 */
export function fencedByHand(workspace, script) {
  const drop = ['--reuid', '65534', '--regid', '65534', '--clear-groups'];
  return [
    find('setpriv'),
    ...(process.getuid?.() === 0 ? drop : []),
    ...['--no-new-privs', '--pdeathsig', 'KILL', '--', find('bwrap'), '--unshare-user', '--unshare-pid'],
    ...['--unshare-ipc', '--unshare-net', '--die-with-parent', '--new-session', '--ro-bind', '/usr', '/usr'],
    ...['--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64'],
    ...['--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--bind', workspace, '/workspace'],
    ...['--chdir', '/workspace', '--', '/bin/sh', '-ec', script],
  ];
}

/** @param {string} name */
function find(name) {
  const path = ['/usr/bin', '/bin', '/usr/local/bin'].map((directory) => `${directory}/${name}`).find(isExecutable);
  if (path === undefined) throw new Error(`${name} is not installed`);
  return path;
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}
