#!/usr/bin/env node
// biome-ignore-all lint/style/useTemplate: ES5
// biome-ignore-all lint/style/useNodejsImportProtocol: older than the protocol
// Read by whatever Node the machine has, however old: ES5 only, nothing loaded before the version is known.
'use strict';

var needed = 24;
var fs = require('fs');
var path = require('path');

if (parseInt(process.versions.node, 10) < needed) {
  process.stderr.write(
    'tidegate: needs Node ' +
      needed +
      ' or newer, this is ' +
      process.version +
      '; install it (`nvm install ' +
      needed +
      '`), or in a checkout of Tidegate use `npx tidegate`\n',
  );
  process.exit(78);
}

if (fs.existsSync(path.join(__dirname, '..', 'dist', 'main', 'cli.js'))) {
  require('./start.cjs');
} else {
  process.stderr.write('tidegate: not built yet; run `npm run build` in ' + path.dirname(__dirname) + '\n');
  process.exit(78);
}
