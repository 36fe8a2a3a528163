import childProcess from 'node:child_process';
import { closeSync, openSync, readFile } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

/**
 * Loaded into every process of a run by NODE_OPTIONS. Puts those that are meant under strace, which kills one at its n-th
 * call of one kind: a coordinator, merger or supervisor by becoming strace, or a git child of one by starting it so. strace
 * runs as a grandchild (-DDD): the struck process keeps its pid, its parent and its group, and nothing else is traced.
 */
const strike = JSON.parse(process.env.STRIKE);
const program = basename(process.argv[1] ?? '', '.js');
const isMeant = program === strike.program && (strike.word === undefined || process.argv.includes(strike.word));
// One that waits for its job has no name before it is told.
if (isMeant && process.argv[2] === '--wait') process.argv.splice(2, 2, await ordered());

if (isMeant && strike.git) strikeGit();
else if (isMeant && !process.argv.includes('--rescue')) {
  const log = claim(owner());
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  if (log !== null)
    process.execve(strike.strace, ['strace', ...words(log), ...command], {
      ...process.env,
      NODE_OPTIONS: '',
      STRIKE: '',
      // what it would keep there are writes, but none of ours
      NODE_DISABLE_COMPILE_CACHE: '1',
    });
}

function ordered() {
  return new Promise((resolve, reject) =>
    readFile(3, 'utf8', (error, text) => (error === null ? resolve(text) : reject(error))),
  );
}

/** The program, or the job of a supervisor without the run, which has another name each time: `one.1`, `check.1a2b.0.1`. */
function owner() {
  return program === 'supervisor' ? basename(process.argv[2]).replace(/^[^.]*\./, '') || 'spare' : program;
}

function strikeGit() {
  const { spawn } = childProcess;
  childProcess.spawn = (command, args, options) => {
    const log = command === 'git' || args.includes('git') ? claim(`${owner()}.${commandOf(args)}`) : null;
    return log === null
      ? spawn(command, args, options)
      : spawn(strike.strace, [...words(log), command, ...args], options);
  };
  syncBuiltinESMExports();
}

/** Of all processes of a run that have this name each gets a number: `one` is struck, without it all are noted. */
function claim(name) {
  for (let number = 1; ; number += 1) {
    const one = `${name}.${number}`;
    const log = `${strike.log}.${one}`;
    if (!isFirst(log)) continue;
    return (strike.one ?? one) === one ? log : null;
  }
}

function isFirst(file) {
  try {
    closeSync(openSync(file, 'wx'));
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function words(log) {
  const kill = strike.at === undefined ? [] : ['-e', `inject=${strike.call}:signal=KILL:when=${strike.at}`];
  return ['-DDD', '-q', ...(strike.threads ? ['-f'] : []), '-o', log, '-e', `trace=${strike.call}`, ...kill];
}

/** `git -c a=b --git-dir=c update-ref …`: the word that says what it does. */
function commandOf(args) {
  const rest = args.slice(args.indexOf('git') + 1);
  while (rest[0]?.startsWith('-')) rest.splice(0, rest[0] === '-c' ? 2 : 1);
  return rest[0] ?? 'git';
}
