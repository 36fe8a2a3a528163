import childProcess from 'node:child_process';
import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

/**
 * Loaded into every process of a run by NODE_OPTIONS. Puts one of them under strace, which kills it at its n-th call of
 * one kind: the first coordinator or merger by becoming strace, or a git child of the merger by starting it so. strace
 * runs as a grandchild (-DDD): the struck process keeps its pid, its parent and its group, and nothing else is traced.
 */
const strike = JSON.parse(process.env.STRIKE);
const program = basename(process.argv[1] ?? '', '.js');
const isMeant = program === (strike.of === 'coordinator' ? 'cli' : 'merger');
const isNamed = strike.word === undefined || process.argv.includes(strike.word);

if (isMeant && isNamed && strike.of === 'git') strikeGit();
else if (isMeant && isNamed && !existsSync(strike.log))
  process.execve(strike.strace, [...words('strace', strike.log), process.execPath, ...process.argv.slice(1)], {
    ...process.env,
    NODE_OPTIONS: '',
  });

function words(name, log) {
  const kill = strike.at === undefined ? [] : ['-e', `inject=${strike.call}:signal=KILL:when=${strike.at}`];
  return [name, '-DDD', '-q', ...(strike.threads ? ['-f'] : []), '-o', log, '-e', `trace=${strike.call}`, ...kill];
}

/** Without `child` each of them gets a log of its own. */
function strikeGit() {
  const { spawn } = childProcess;
  let last = 0;
  childProcess.spawn = (command, args, options) => {
    if (command !== 'git' && !args.includes('git')) return spawn(command, args, options);
    last += 1;
    const log = strike.child === undefined ? `${strike.log}.${last}` : strike.log;
    if ((strike.child ?? last) !== last || existsSync(log)) return spawn(command, args, options);
    return spawn(strike.strace, [...words('strace', log).slice(1), command, ...args], options);
  };
  syncBuiltinESMExports();
}
