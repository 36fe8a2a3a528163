'use strict';

const { existsSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { homedir } = require('node:os');
const { join } = require('node:path');

// A private directory, not the default one in a temp directory that any local user may fill first.
// Under sudo the home may belong to somebody else: root must not run code cached there.
const parent = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
if (process.env.SUDO_UID === undefined && existsSync(parent))
  enableCompileCache?.(join(parent, 'tidegate', 'compiled'));

import('../dist/main/cli.js').catch((error) => {
  process.stderr.write(`tidegate: this is a bug in Tidegate: ${error?.stack ?? error}\n`);
  process.exitCode = 1;
});
