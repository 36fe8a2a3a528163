// A coordinator as a process of its own, from the compiled program: argv is checkout, state directory, socket
// directory, and where the program is compiled to.
// Says `hosting <epoch>` or `held`, and on standard error why it ended. Ends on TERM, and when its epoch is over.
import { pathToFileURL } from 'node:url';

const [checkout, stateRoot, runDirectory, compiled] = process.argv.slice(2);
const dist = pathToFileURL(compiled);
const { hostCoordinator } = await import(new URL('main/compose/coordinator.js', dist).href);
const { openSqliteLedger } = await import(new URL('adapters/ledger/sqlite/index.js', dist).href);
const { stateDir } = await import(new URL('domain/ledger/state-dir.js', dist).href);

const state = stateDir(stateRoot);
const ledger = await openSqliteLedger(state.ledger);
const hosted = await hostCoordinator({ checkout, state, runDirectory, env: process.env, version: 'test' }, ledger);
if (hosted.outcome === 'held') {
  console.log('held');
  process.exit(32);
}
console.log(`hosting ${hosted.epoch}`);
process.on('SIGTERM', async () => {
  await hosted.stop();
  process.exit(0);
});
hosted.engine.failed.catch((error) => {
  console.error(`ended: ${error.name}: ${error.message}`);
  process.exit(32);
});
