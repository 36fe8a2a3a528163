import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fencedByHand } from './fence.mjs';

/**
 * `hand-step.mjs <bare> <root> <commit> <index> <count> <agent script>`: one link of a chain by hand. Clones, runs the
 * agent, snapshots what it left, starts a fresh process for the next link. Nothing is recorded, proven or flushed.
 */
const [bare, root, commit, index, count, script] = process.argv.slice(2);
const workspace = `${root}/hand-${index}`;
const safe = ['-c', 'safe.directory=*'];
/** @param {readonly string[]} args */
const git = (args, env = {}) =>
  execFileSync('git', [...safe, ...args], { encoding: 'utf8', env: { ...process.env, ...env } }).trim();

git(['clone', '-q', '--shared', '--no-checkout', bare, workspace]);
git(['-C', workspace, 'checkout', '-q', '--detach', commit]);
if (process.getuid?.() === 0) execFileSync('chown', ['-R', '65534:65534', workspace]);
const log = openSync(`${root}/hand-${index}.log`, 'w');
const [file, ...args] = fencedByHand(workspace, script.replaceAll('INDEX', index));
const agent = spawnSync(file, args, { stdio: ['ignore', log, log] });
closeSync(log);
if (agent.status !== 0) throw new Error(`the agent ended with ${agent.status}`);
if (Number(index) + 1 < Number(count)) {
  const objects = { GIT_OBJECT_DIRECTORY: `${bare}/objects` };
  git(['-C', workspace, 'add', '-A'], objects);
  const tree = git(['-C', workspace, 'write-tree'], objects);
  const person = ['-c', 'user.name=Hand', '-c', 'user.email=hand@example.com'];
  const next = git([...person, '-C', workspace, 'commit-tree', tree, '-p', commit, '-m', 'work'], objects);
  const following = [bare, root, next, String(Number(index) + 1), count, script];
  const child = spawn(process.execPath, [process.argv[1], ...following], { stdio: 'inherit' });
  child.once('exit', (code) => process.exit(code ?? 1));
}
