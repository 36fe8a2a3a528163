// Who the tests run as when root starts them: an ordinary user, root, or a uid without an entry in the user database.
// Users are made up for the run: they exist in a mount namespace of their own, where they have a copy of the checkout, and are gone with it.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';

/** Ids in which no user database has entries. Each run has its own, so that two runs on one machine do not meet. */
const firstUid = 50_000 + (process.pid % 4_000) * 2;
const uids = { ordinary: firstUid, nameless: firstUid + 1 };
const name = 'tidegate-test';

/**
 * Copies the checkout and gives `run(kind, argv)`, which runs a command in it, and returns its exit code. `argv` may name files of the
 * checkout by their path here. Only root can call this.
 */
export function openUsers(root) {
  const place = mkdtempSync(join(tmpdir(), 'tidegate-users-'));
  chmodSync(place, 0o755);
  const seen = mountPoint() ?? place;
  const clone = join(place, 'clone');
  must('cp', ['--archive', '--reflink=auto', root, clone]);
  must('chmod', ['-R', 'u+rwX,go+rX', clone]);
  for (const file of ['passwd', 'group']) writeFileSync(join(place, file), databaseWith(file), { mode: 0o644 });
  const agents = agentsCache();
  mkdirSync(join(place, 'tmp'));
  chmodSync(join(place, 'tmp'), 0o1777);
  mkdirSync(join(place, 'agents'));
  mkdirSync(join(place, 'programs'));
  const programs = privatePrograms(join(seen, 'programs'));
  return {
    run(kind, argv) {
      if (kind === 'root') return exitOf(argv, { cwd: root });
      const uid = uids[kind];
      const home = join(place, `home-${kind}`);
      mkdirSync(home, { recursive: true, mode: 0o700 });
      must('chown', ['-R', `${uid}:${uid}`, clone, home]);
      must('chown', [`${uid}:${uid}`, place]);
      const binds = [
        ...(kind === 'ordinary' ? ['passwd', 'group'].map((file) => [join(place, file), `/etc/${file}`]) : []),
        ...(existsSync(agents) ? [[agents, join(place, 'agents')]] : []),
        ...(programs === null ? [] : [[programs.from, join(place, 'programs')]]),
        // Last, because it hides where the place itself lies: what the tests leave in /tmp goes with the place.
        ...(seen === place
          ? []
          : [
              [place, seen],
              [join(seen, 'tmp'), '/tmp'],
            ]),
      ];
      const env = {
        ...passedOn(),
        PATH: pathFor(root, join(seen, 'clone'), programs),
        HOME: join(seen, `home-${kind}`),
        ...(kind === 'ordinary' ? { USER: name, LOGNAME: name } : {}),
        TIDEGATE_AGENTS_CACHE: join(seen, 'agents'),
      };
      const there = argv.map((word) => (isWithin(word, root) ? join(seen, 'clone', relative(root, word)) : word));
      const become = [
        'setpriv',
        '--reuid',
        String(uid),
        '--regid',
        String(uid),
        '--clear-groups',
        '--inh-caps=-all',
        '--',
      ];
      const inside = [
        'sh',
        '-c',
        enter,
        'sh',
        join(seen, 'clone'),
        String(binds.length),
        ...binds.flat(),
        ...become,
        ...there,
      ];
      return exitOf(['unshare', '--mount', '--propagation', 'private', '--', ...inside], { env });
    },
    [Symbol.dispose]: () => rmSync(place, { recursive: true, force: true }),
  };
}

/** Arguments: where to start, how many binds, source and target of each, the command. */
const enter = `start=$1 count=$2; shift 2
while [ "$count" -gt 0 ]; do mount --rbind "$1" "$2" || exit 96; shift 2; count=$((count - 1)); done
cd "$start" && exec "$@"`;

/** A directory of no fence and nobody's home, so that the copy lies as an ordinary checkout does. */
const mountPoint = () => ['/srv', '/mnt', '/media'].find((path) => existsSync(path)) ?? null;

function databaseWith(file) {
  const entry =
    file === 'passwd' ? `${name}:x:${uids.ordinary}:${uids.ordinary}::/:/bin/sh` : `${name}:x:${uids.ordinary}:`;
  return `${readFileSync(`/etc/${file}`, 'utf8').trimEnd()}\n${entry}\n`;
}

/** As scripts/agents.mjs finds it. */
function agentsCache() {
  const { TIDEGATE_AGENTS_CACHE: own, XDG_CACHE_HOME: shared } = process.env;
  return own || join(shared || join(homedir(), '.cache'), 'tidegate-agents');
}

/** Nothing of root's own: no tokens, no directories, no settings of npm. */
function passedOn() {
  const kept = /^(LANG|LC_.*|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CI|GITHUB_ACTIONS|TZ|VITEST_.*)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([variable]) => kept.test(variable)));
}

/** Where npm was installed below root's own home, as version managers do, the user is shown that installation alone. */
function privatePrograms(at) {
  const [bin] = entriesOfPath().filter((entry) => existsSync(join(entry, 'npm')));
  return bin === undefined || isOpen(bin) ? null : { bin, from: dirname(bin), as: join(at, 'bin') };
}

const pathFor = (root, clone, programs) =>
  entriesOfPath()
    .map((entry) =>
      isWithin(entry, root) ? join(clone, relative(root, entry)) : entry === programs?.bin ? programs.as : entry,
    )
    .filter((entry) => isWithin(entry, clone) || entry === programs?.as || isOpen(entry))
    .join(delimiter);

const entriesOfPath = () => (process.env.PATH ?? '').split(delimiter).filter((entry) => entry.startsWith('/'));
const isWithin = (path, root) => path === root || path.startsWith(`${root}/`);

/** Whether everybody may look into a directory. */
function isOpen(path) {
  for (let at = path; ; at = dirname(at)) {
    if (!existsSync(at) || (statSync(at).mode & 0o5) !== 0o5) return false;
    if (at === '/') return true;
  }
}

function must(program, args) {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args[0]}: ${error?.message ?? stderr}`);
}

function exitOf([program, ...args], options) {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit', ...options });
  if (error !== undefined) process.stderr.write(`test: ${program} did not start: ${error.message}\n`);
  return status ?? 1;
}
