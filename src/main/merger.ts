import { writeDurably } from '../adapters/files/durable-file.ts';
import { globalConfigText, personsEnvironment } from '../adapters/git/read/index.ts';
import { openSqliteLedger } from '../adapters/ledger/sqlite/index.ts';
import { armFailpoints } from '../adapters/process/failpoint.ts';
import { stateDir } from '../domain/ledger/state-dir.ts';
import { recoverLanding } from '../merger/land/landing-recovery.ts';
import type { MergerContext } from '../merger/order.ts';
import { perform, serve } from '../merger/serve.ts';
import { takeOver, tidyAfterFailure } from '../merger/take-over.ts';
import { isEnvironmental } from '../ports/failures.ts';

/** `merger <stateDir> <checkout>`: the one process that writes refs. Lives as long as its standard input. */
const [root, checkout] = process.argv.slice(2);
if (root === undefined || checkout === undefined) throw new TypeError('usage: merger <stateDir> <checkout>');
armFailpoints(process.env['TIDEGATE_FAILPOINT']);
// A terminal's Ctrl-C is meant for the coordinator, which closes our input when it is time to leave.
process.on('SIGINT', () => undefined);
process.on('SIGHUP', () => undefined);
// Answers to a coordinator that is gone are nobody's: the ledger has the facts.
process.stdout.on('error', () => undefined);

const state = stateDir(root);
await using open = new AsyncDisposableStack();
// a failure to start is the answer to the first request, and the next request tries again
let begun: Promise<MergerContext> | null = begin();
begun.catch(() => undefined);
await serve(process.stdin, process.stdout, async (request, epoch) => {
  begun ??= begin();
  const context = await begun.catch((error: unknown) => {
    begun = null;
    throw error;
  });
  return perform(context, request, epoch).catch((error: unknown) => {
    tidyAfterFailure(state);
    throw error;
  });
});

async function begin(): Promise<MergerContext> {
  await takeOver(state);
  const ledger = open.use(await openSqliteLedger(state.ledger, { check: 'head' }));
  const context = { ledger, state, checkout: checkout ?? '', env: ownEnvironment() };
  // a landing that cannot be completed is reported to requests to land or undo; it stops nothing else
  await recoverLanding(context).catch((error: unknown) => {
    if (!isEnvironmental(error)) throw error;
    process.stderr.write(`${error.message}\n`);
  });
  return context;
}

/** Returns the environment of the person's git, whose configuration is kept in the state directory. */
function ownEnvironment(): Record<string, string> {
  const file = `${state.root}/person.gitconfig`;
  if (process.env['GIT_CONFIG_GLOBAL'] === undefined) writeDurably(file, globalConfigText(process.env));
  return personsEnvironment(process.env, file);
}
