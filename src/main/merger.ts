import { writeDurably } from '../adapters/durable-file.ts';
import { armFailpoints } from '../adapters/failpoint.ts';
import { openSqliteLedger } from '../adapters/ledger-sqlite/index.ts';
import { stateDir } from '../domain/state-dir.ts';
import { recoverLanding } from '../merger/landing-recovery.ts';
import { perform } from '../merger/perform.ts';
import { serve } from '../merger/serve.ts';
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
await takeOver(state);
await using ledger = await openSqliteLedger(state.ledger, { check: 'head' });
const context = { ledger, state, checkout, env: personsEnvironment() };
// What stands in the way of ending a landing is told to whoever asks to land or undo; it stops nothing else.
await recoverLanding(context).catch((error: unknown) => {
  if (!isEnvironmental(error)) throw error;
  process.stderr.write(`${error.message}\n`);
});
await serve(process.stdin, process.stdout, (request, epoch) =>
  perform(context, request, epoch).catch((error: unknown) => {
    tidyAfterFailure(state);
    throw error;
  }),
);

/** What git, its filters and its signing programs need to act as the person. */
function personsEnvironment(): Record<string, string> {
  const names = [
    'HOME',
    'PATH',
    'USER',
    'LOGNAME',
    'XDG_CONFIG_HOME',
    'XDG_RUNTIME_DIR',
    'GNUPGHOME',
    'GPG_TTY',
    'SSH_AUTH_SOCK',
    'GIT_AUTHOR_NAME',
    'GIT_AUTHOR_EMAIL',
    // for `land: pr`: how the person reaches their remotes, and where `gh` and `glab` find their login
    ...['GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_ASKPASS', 'SSH_ASKPASS', 'DISPLAY', 'DBUS_SESSION_BUS_ADDRESS'],
    ...['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'],
    ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO', 'GIT_SSL_CAPATH'],
    ...['GH_TOKEN', 'GITHUB_TOKEN', 'GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN', 'GH_CONFIG_DIR', 'GH_HOST'],
    ...['GITLAB_TOKEN', 'GITLAB_ACCESS_TOKEN', 'GLAB_CONFIG_DIR', 'GITLAB_HOST'],
  ];
  const given = names.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(given), GIT_CONFIG_GLOBAL: globalConfig(), GIT_CONFIG_NOSYSTEM: '0' };
}

/** Our git calls have no global configuration unless a file is named; this one stands for the two that a person may have. */
function globalConfig(): string {
  const { HOME: home = '/', XDG_CONFIG_HOME: xdg = `${home}/.config`, GIT_CONFIG_GLOBAL: named } = process.env;
  if (named !== undefined) return named;
  const file = `${state.root}/person.gitconfig`;
  const include = (path: string) => `[include]\n\tpath = ${JSON.stringify(path)}\n`;
  writeDurably(file, include(`${xdg}/git/config`) + include(`${home}/.gitconfig`));
  return file;
}
