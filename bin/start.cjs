'use strict';

const { existsSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { homedir } = require('node:os');
const { join } = require('node:path');

// A private directory, not the default one in a temp directory that any local user may fill first.
// Under sudo the home may belong to somebody else: root must not run code cached there.
const parent = process.env.XDG_CACHE_HOME || cacheBelowHome();
if (process.env.SUDO_UID === undefined && parent !== null && existsSync(parent))
  enableCompileCache?.(join(parent, 'tidegate', 'compiled'));

/** Null for a user who has neither HOME nor an entry in the user database: Node throws then. */
function cacheBelowHome() {
  try {
    return join(homedir(), '.cache');
  } catch (error) {
    if (error.code !== 'ERR_SYSTEM_ERROR') throw error;
    return null;
  }
}

import('../dist/main/cli.js').catch((error) => {
  process.stderr.write(`tidegate: this is a bug in Tidegate: ${error?.stack ?? error}\n`);
  process.exitCode = 1;
});
