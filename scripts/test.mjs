// `npm test`: build and lint, then all tests, then those with the real agents; a part that fails is the last. Says at the end how
// long each took, beside what it may take (docs/adr/0016, 0028).
//
// Started by root, all tests run as an ordinary user, and those of user-suites.mjs again as root and as a uid without a passwd entry.
// `--users` (npm run test:users) runs everything as all three. What follows `--` is given to vitest: then it runs in this checkout as
// whoever started it, or with `--users` as all three, and the agents are left out.
// Needs only npm, and any Node from 20 on.
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { userSuites } from './user-suites.mjs';
import { openUsers } from './users.mjs';

const root = resolve(import.meta.dirname, '..');
const ours = (script) => join(root, 'scripts', script);
const isRoot = process.getuid?.() === 0;
const asAll = process.argv.includes('--users');
const args = process.argv.slice(2).filter((word) => word !== '--users');
const node = join(root, 'node_modules/.bin/node');

const vitest = (...files) => [node, join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...files];
const build = [
  [process.execPath, ours('system.mjs'), '--tests'],
  ['npm', 'run', '--silent', 'build'],
  ['npm', 'run', '--silent', 'check'],
  // Seconds, and they find what a change of words or files most often breaks: better before the minutes of all tests.
  vitest('test/architecture.test.ts', 'test/strings.test.ts'),
];
const agents = (...words) => [process.execPath, ours('agents.mjs'), ...words];
/**
 * How two agents behave without Tidegate, which changes only with their pinned version, and an agent whose protocol and program others
 * speak and are: minutes of them, for `npm run test:agents`.
 */
const slow = ['alone/gemini', 'alone/opencode', 'conformance/opencode-acp'];
const withoutSlow = slow.flatMap((name) => ['--exclude', `test/agents/${name}.real.ts`]);
const titles = { ordinary: 'an ordinary user', root: 'root', nameless: 'a uid without a name' };

process.exitCode = main();

function main() {
  if (asAll && !isRoot) {
    process.stderr.write('test: only root can become other users; as you are: npm test\n');
    return 2;
  }
  const took = [];
  const code = measured(took, { name: 'build and lint', budget: 3 }, () => firstFailure(build, { cwd: root }));
  const result = code === 0 ? tests(took) : code;
  const whole = { name: 'in all', budget: 25, minutes: took.reduce((sum, { minutes }) => sum + minutes, 0) };
  process.stderr.write(`test: ${[...took, whole].map(line).join(', ')}\n`);
  return result;
}

function tests(took) {
  if (!isRoot || (args.length > 0 && !asAll)) {
    const parts = [part('core tests', 16, 'self', vitest(...args))];
    if (args.length === 0) parts.push(part('real agents', 6, 'self', agents('test', ...withoutSlow)));
    return inTurn(took, parts, (_, argv) => firstFailure([argv], { cwd: root }));
  }
  // Without a listener a signal would end us before the copy is removed; what we wait for gets it too.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
  const users = openUsers(root);
  try {
    return inTurn(took, asAll ? partsOfAll() : partsOfRoot(), (kind, argv) => users.run(kind, argv));
  } finally {
    users[Symbol.dispose]();
  }
}

function partsOfRoot() {
  return [
    part('core tests', 16, 'ordinary', vitest()),
    part('again', 1.5, 'root', vitest(...suitesOf('root'))),
    part('again', 1, 'nameless', vitest(...suitesOf('nameless'))),
    // Root installs: what is below its home, the others are shown.
    part('agents', 5, 'root', agents('install')),
    part('real agents', 6, 'ordinary', agents('test', '--installed', ...withoutSlow)),
  ];
}

function suitesOf(kind) {
  return Object.keys(userSuites).filter((file) => kind === 'root' || userSuites[file].nameless);
}

function partsOfAll() {
  return [
    ...Object.keys(titles).map((kind) => part('core tests', 16, kind, vitest(...args))),
    ...(args.length > 0 ? [] : [part('agents', 5, 'root', agents('install'))]),
    ...(args.length > 0
      ? []
      : Object.keys(titles).map((kind) => part('real agents', 6, kind, agents('test', '--installed')))),
  ];
}

function part(what, budget, kind, argv) {
  return { name: kind === 'self' ? what : `${what} as ${titles[kind]}`, budget, kind, argv };
}

/** 0 when all of them end well. */
function inTurn(took, parts, run) {
  for (const { kind, argv, ...named } of parts) {
    const code = measured(took, named, () => run(kind, argv));
    if (code !== 0) return code;
  }
  return 0;
}

function measured(took, named, run) {
  const started = Date.now();
  const code = run();
  took.push({ ...named, minutes: (Date.now() - started) / 60_000 });
  return code;
}

function firstFailure(commands, options) {
  for (const [program, ...rest] of commands) {
    const { status, error } = spawnSync(program, rest, { stdio: 'inherit', ...options });
    if (error !== undefined) process.stderr.write(`test: ${program} did not start: ${error.message}\n`);
    if (status !== 0) return status ?? 1;
  }
  return 0;
}

function line({ name, budget, minutes }) {
  const over = minutes > budget ? ' OVER THE BUDGET' : '';
  return `${name} ${minutes.toFixed(1)} of ${budget} minutes${over}`;
}
