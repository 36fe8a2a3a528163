// What Tidegate needs from the system: checks for it, installs it with apt-get where that is allowed, and otherwise stops
// with the command to type. Runs before anything is built, on any Node from 20 on, and says nothing when all is there.
//
//   node scripts/system.mjs [--check] [--tests]
//     --check only reports; exit 0 when all is there, else 1
//     --tests also wants what only tests use; without it those tests say that they are skipped
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const oldestGit = [2, 39, 4];
const forTests = process.argv.includes('--tests');
const packages = {
  ...{ git: 'git', bwrap: 'bubblewrap', setpriv: 'util-linux', unshare: 'util-linux', mount: 'mount' },
  ...(forTests ? { perl: 'perl-base', script: 'bsdutils', 'ssh-keygen': 'openssh-client', openssl: 'openssl' } : {}),
};
/** What some tests need and nothing else does, so that going without is said and not an error. */
const wishes = {
  strace: 'the kills at durable writes are skipped',
  tmux: 'the terminal UI is not tested with keys',
  'git-lfs': 'what git-lfs does itself is not tested',
  chromium: 'no page is looked at in a browser',
};

const checkOnly = process.argv.includes('--check');
const say = (text) => process.stderr.write(`tidegate: ${text}\n`);
const isRoot = process.getuid?.() === 0;

process.exitCode = main();

function main() {
  if (process.platform === 'darwin') {
    say('the fence is Linux only for now; on macOS runs need `fence: none`, which stops nobody');
    return missing().filter(({ tool }) => tool === 'git').length === 0 ? 0 : stop(['brew install git']);
  }
  if (process.platform !== 'linux') return stop(['wsl --install'], 'runs on Linux, or on Windows inside WSL2');

  let gaps = missing();
  if (checkOnly) report();
  if (gaps.length > 0 && !checkOnly) {
    const problem = install(gaps);
    if (problem !== null) return problem;
    gaps = missing();
  }
  if (gaps.length > 0) return stop([installCommand(gaps)], describe(gaps));

  if (forTests && !checkOnly) wishForMore();
  const fence = fenceProblem();
  if (fence === null) return 0;
  return stop(fence.commands, `bubblewrap is installed but cannot make a fence: ${fence.detail}`);
}

/** Installs them if it may. Says what is left out without them, and the one command that brings them all. */
function wishForMore() {
  const wanted = absentWishes();
  if (wanted.length === 0) return;
  if (pathOf('apt-get') !== null && mayInstall()) {
    say(`${wanted.join(', ')} missing; installing with apt-get`);
    aptInstall(wanted);
  }
  const absent = absentWishes();
  for (const tool of absent) say(`${tool} is missing, so ${wishes[tool]}`);
  if (absent.length > 0) say(`to have all of it tested: ${commandFor(absent)}`);
}

function absentWishes() {
  return forTests ? Object.keys(wishes).filter((tool) => pathOf(tool) === null) : [];
}

/** Tools that are absent or too old, and why. */
function missing() {
  const gaps = Object.keys(packages).filter((tool) => pathOf(tool) === null);
  const found = gaps.map((tool) => ({ tool, why: `${tool} is missing` }));
  const git = gitVersion();
  if (!gaps.includes('git') && git !== null && isOlder(git, oldestGit)) {
    found.push({ tool: 'git', why: `git is ${git.join('.')}, and must be ${oldestGit.join('.')} or newer` });
  }
  return process.platform === 'darwin' ? found.filter(({ tool }) => tool === 'git') : found;
}

/** null when the packages are in; an exit code when we had to stop. */
function install(gaps) {
  const wanted = packagesOf(gaps);
  if (pathOf('apt-get') === null) {
    return stop(
      [`<your package manager> install ${[...wanted, ...absentWishes()].join(' ')}`],
      `${describe(gaps)}; this system has no apt-get, install these packages (names as in Debian)`,
    );
  }
  if (!mayInstall()) return stop([installCommand(gaps)], describe(gaps));
  say(`${describe(gaps)}; installing ${wanted.join(' ')} with apt-get`);
  const problem = aptInstall(wanted);
  if (problem === null) return null;
  process.stderr.write(problem);
  return stop([installCommand(gaps)], 'apt-get could not install them');
}

function mayInstall() {
  return isRoot || run('sudo', ['-n', 'true']).ok;
}

/** null, or what apt-get said. An outdated or unreachable source makes `update` fail although the packages are at hand: `install` decides. */
function aptInstall(wanted) {
  const apt = [...(isRoot ? [] : ['sudo', '-n']), 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get'];
  const call = (...args) => run(apt[0], [...apt.slice(1), ...args]);
  call('update', '-q');
  const done = call('install', '-q', '-y', '--no-install-recommends', ...wanted);
  return done.ok ? null : done.output;
}

/** Tries a fence the way Tidegate makes one: as root the uid is dropped first, because root inside bwrap is not held. */
function fenceProblem() {
  const bwrap = ['bwrap', '--ro-bind', '/', '/', '--unshare-pid', '--unshare-ipc', '--proc', '/proc', '--', 'true'];
  const argv = isRoot ? ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', ...bwrap] : bwrap;
  const inside = isRoot ? ['unshare', '--mount', '--propagation', 'private', ...argv] : argv;
  const tried = run(inside[0], inside.slice(1));
  if (tried.ok) return null;
  const commands = [];
  const sudo = isRoot ? '' : 'sudo ';
  if (sysctl('apparmor_restrict_unprivileged_userns') === '1')
    commands.push(`${sudo}sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`);
  if (sysctl('unprivileged_userns_clone') === '0') commands.push(`${sudo}sysctl -w kernel.unprivileged_userns_clone=1`);
  if (existsSync('/.dockerenv') || existsSync('/run/.containerenv'))
    commands.push(
      'docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --cap-add SYS_ADMIN …',
    );
  if (commands.length === 0) commands.push(`${sudo}sysctl -w user.max_user_namespaces=15000`);
  return { detail: tried.output.trim().split('\n').at(-1) ?? '', commands };
}

function report() {
  const git = gitVersion();
  process.stdout.write(`git ${git === null ? 'missing' : git.join('.')} (needs ${oldestGit.join('.')})\n`);
  for (const tool of Object.keys(packages).filter((name) => name !== 'git'))
    process.stdout.write(`${tool} ${pathOf(tool) ?? `missing (package ${packages[tool]})`}\n`);
  if (pathOf('bwrap') !== null) process.stdout.write(`fence ${fenceProblem() === null ? 'works' : 'does not work'}\n`);
}

function stop(commands, why) {
  if (why !== undefined) say(why);
  say('type this, then start again:');
  for (const command of commands) process.stderr.write(`  ${command}\n`);
  return 1;
}

function describe(gaps) {
  return gaps.map(({ why }) => why).join(', ');
}

function packagesOf(gaps) {
  return [...new Set(gaps.map(({ tool }) => packages[tool]))];
}

/** Everything at once: nobody should come back for the next package. */
function installCommand(gaps) {
  return commandFor([...packagesOf(gaps), ...absentWishes()]);
}

function commandFor(names) {
  const sudo = isRoot ? '' : 'sudo ';
  return `${sudo}apt-get update && ${sudo}apt-get install -y ${names.join(' ')}`;
}

function gitVersion() {
  const found = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(run('git', ['--version']).output);
  return found === null ? null : [Number(found[1]), Number(found[2]), Number(found[3] ?? 0)];
}

function isOlder(version, than) {
  const at = version.findIndex((part, index) => part !== than[index]);
  return at !== -1 && version[at] < than[at];
}

function pathOf(tool) {
  const places = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'].filter((place) =>
    place.startsWith('/'),
  );
  return places.map((place) => `${place}/${tool}`).find((file) => existsSync(file)) ?? null;
}

function sysctl(name) {
  const read = run('cat', [`/proc/sys/kernel/${name}`]);
  return read.ok ? read.output.trim() : null;
}

function run(program, args) {
  const done = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  return { ok: done.status === 0, output: `${done.stdout ?? ''}${done.stderr ?? ''}${done.error?.message ?? ''}` };
}
