import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundle, bundleClient } from './bundle.ts';
import { writeModules } from './modules.ts';
import { isBuilt, sourcesHash, stampFile } from './sources-hash.ts';

/**
 * `npm run build` writes dist/: every module, the processes in few files, and the client that others install. `--if-changed` leaves a
 * build of the same sources as it is.
 */
const checkout = fileURLToPath(new URL('..', import.meta.url));
const dist = fileURLToPath(new URL('../dist', import.meta.url));

if (process.argv.includes('--if-changed') && isBuilt(checkout)) process.exit(0);
// A build that was interrupted must not look finished, and one that others use must not vanish: the stamp goes first, files are replaced.
rmSync(stampFile(checkout), { force: true });
const hash = sourcesHash(checkout);
writeModules(checkout, dist);
await bundle(dist);
await bundleClient(dist);
writeFileSync(stampFile(checkout), hash);
