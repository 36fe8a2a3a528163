'use strict';

const { enableCompileCache } = require('node:module');
const { homedir } = require('node:os');
const { join } = require('node:path');

// A private directory, not the default one in a temp directory that any local user may fill first.
// Under sudo the home may belong to somebody else: root must not run code cached there.
if (process.env.SUDO_UID === undefined) {
  enableCompileCache?.(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tidegate', 'compiled'));
}

import('../dist/main/cli.js').catch((error) => {
  process.stderr.write(`tidegate: cannot start: ${error?.stack ?? error}\n`);
  process.exitCode = 1;
});
