// `npm test`: build and lint, then all tests, then those with the real agents; a part that fails is the last. Says at the end how
// long each took, beside what it may take (docs/adr/0016). What follows `--` is given to vitest, and the agents are left out.
// Needs only npm, and any Node from 20 on.
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const args = process.argv.slice(2);
const ours = (script) => join(root, 'scripts', script);

/** Minutes on two cores that have nothing else to do. */
const parts = [
  {
    name: 'build and lint',
    budget: 3,
    commands: [
      [process.execPath, ours('system.mjs'), '--tests'],
      ['npm', 'run', '--silent', 'build'],
      ['npm', 'run', '--silent', 'check'],
    ],
  },
  { name: 'core tests', budget: 10, commands: [[join(root, 'node_modules/.bin/vitest'), 'run', ...args]] },
  { name: 'real agents', budget: 7, commands: [[process.execPath, ours('agents.mjs'), 'test']] },
];
const wholeBudget = 25;

const wanted = args.length === 0 ? parts : parts.slice(0, 2);
const took = [];
for (const { name, budget, commands } of wanted) {
  const started = Date.now();
  process.exitCode = firstFailure(commands);
  took.push({ name, budget, minutes: (Date.now() - started) / 60_000 });
  if (process.exitCode !== 0) break;
}
const whole = { name: 'in all', budget: wholeBudget, minutes: took.reduce((sum, { minutes }) => sum + minutes, 0) };
process.stderr.write(`test: ${[...took, whole].map(told).join(', ')}\n`);

/** 0 when all of them end well. */
function firstFailure(commands) {
  for (const [program, ...rest] of commands) {
    const { status, error } = spawnSync(program, rest, { cwd: root, stdio: 'inherit' });
    if (error !== undefined) process.stderr.write(`test: ${program} did not start: ${error.message}\n`);
    if (status !== 0) return status ?? 1;
  }
  return 0;
}

function told({ name, budget, minutes }) {
  const over = minutes > budget ? ' OVER THE BUDGET' : '';
  return `${name} ${minutes.toFixed(1)} of ${budget} minutes${over}`;
}
