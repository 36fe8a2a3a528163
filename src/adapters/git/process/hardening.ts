/**
 * What every git call of ours starts from: an environment made from nothing, and settings that beat whatever the
 * repository's own configuration says. No hook, filter, monitor, replacement, lazy fetch or prompt can take part.
 */
export const cleanEnvironment: Readonly<Record<string, string>> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_GRAFT_FILE: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
};

export const hardenedConfig: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.attributesFile=/dev/null',
  'core.pager=cat',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  'safe.bareRepository=explicit',
  // Ownership is no protection here: everything that a foreign configuration could run is switched off above.
  'safe.directory=*',
  'protocol.allow=never',
  'protocol.file.allow=always',
  'diff.ignoreSubmodules=all',
  'submodule.recurse=false',
  'transfer.fsckObjects=true',
  'advice.graftFileDeprecated=false',
  'gc.auto=0',
  'maintenance.auto=false',
];
