// The real agent programs that test/agents drives: installs the pinned versions outside the checkout, and runs those tests
// where no packet can leave. Needs only npm, and any Node from 20 on.
//
//   node scripts/agents.mjs install [name …]     installs what is missing; says for each what could not be, and why
//   node scripts/agents.mjs list                 what is installed, as one JSON document
//   node scripts/agents.mjs test [argument …]    installs, then vitest with test/agents/vitest.config.ts, loopback only;
//                                                with --installed takes what is there
//   node scripts/agents.mjs record [argument …]  likewise test/agents/record.ts; record-acp: test/agents/record-acp.ts
//
// They live in $TIDEGATE_AGENTS_CACHE, else $XDG_CACHE_HOME/tidegate-agents, else ~/.cache/tidegate-agents, one directory per
// agent and lock file, so that every clone shares them. Delete that directory to be rid of them.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { inLoopback, loopbackProblem } from './agents-loopback.mjs';

const root = resolve(import.meta.dirname, '..');
const pins = join(root, 'test/agents/clis');
const installMinutes = 5;
/** On two cores that have nothing else to do. */
const budgetMinutes = 7;
/** Something hangs, then. */
const limitMinutes = 25;

/** The program of each agent: never a wrapper script, because a wrapper's death leaves the agent alive. */
const programs = {
  claude: ['@anthropic-ai/claude-code-linux-x64/claude', '@anthropic-ai/claude-code-linux-arm64/claude'],
  codex: [
    '@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex',
    '@openai/codex-linux-arm64/vendor/aarch64-unknown-linux-musl/bin/codex',
  ],
  opencode: ['opencode-linux-x64/bin/opencode', 'opencode-linux-arm64/bin/opencode'],
  gemini: ['@google/gemini-cli/bundle/gemini.js'],
  'claude-agent-acp': ['@agentclientprotocol/claude-agent-acp/dist/index.js'],
  'codex-acp': ['@agentclientprotocol/codex-acp/dist/index.js'],
};

/** These drive the claude and codex above; the copies they would bring themselves are left out. */
const withoutOwnCopy = ['claude-agent-acp', 'codex-acp'];

const say = (line) => process.stderr.write(`agents: ${line}\n`);

process.exitCode = await main(process.argv.slice(2));

async function main([verb, ...rest]) {
  switch (verb) {
    case 'install':
      await install(rest.length > 0 ? rest : Object.keys(programs));
      return 0;
    case 'list':
      process.stdout.write(`${JSON.stringify(Object.fromEntries(Object.keys(programs).map(entry)), null, 2)}\n`);
      return 0;
    case 'test':
      return test(rest);
    case 'record':
      await install(Object.keys(programs));
      return alone(['test/agents/record.ts', ...rest]);
    case 'record-acp':
      await install(Object.keys(programs));
      return alone(['test/agents/record-acp.ts', ...rest]);
    default:
      say('usage: node scripts/agents.mjs install [name …] | list | test | record | record-acp');
      return 2;
  }
}

async function test(words) {
  const args = words.filter((word) => word !== '--installed');
  const names = Object.keys(programs);
  const missing = args.length < words.length ? names.filter((name) => programOf(name) === null) : await install(names);
  const started = Date.now();
  const code = await alone([
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'test/agents/vitest.config.ts',
    ...args,
  ]);
  const minutes = (Date.now() - started) / 60_000;
  const late = minutes > budgetMinutes ? `, OVER THE BUDGET of ${budgetMinutes}` : '';
  const lacking = missing.length === 0 ? '' : `; NOT TESTED, because not installed: ${missing.join(', ')}`;
  say(`tests with real agents took ${minutes.toFixed(1)} minutes${late}${lacking}`);
  return code;
}

function entry(name) {
  return [name, { version: versionOf(name), program: programOf(name), directory: directoryOf(name) }];
}

/** What could not be installed. Never fails as a whole: the tests count what is missing, and so does the last line here. */
async function install(names) {
  const wanted = names.filter((name) => programOf(name) === null);
  const missing = (await Promise.all(wanted.map(installAndSay))).filter((name) => name !== null);
  const there = `${names.length - missing.length} of ${names.length} in ${cache()}`;
  say(missing.length === 0 ? there : `${there}; MISSING ${missing.length}: ${missing.join(', ')}`);
  return missing;
}

async function installAndSay(name) {
  const started = Date.now();
  const problem = await installOne(name);
  const took = ((Date.now() - started) / 1000).toFixed(1);
  say(problem === null ? `${name} ${versionOf(name)} installed in ${took} s` : `${name} NOT INSTALLED: ${problem}`);
  return problem === null ? null : name;
}

/** null, or why not. The directory gets its name last, so that a half installed one is never taken for whole. */
async function installOne(name) {
  const unfinished = `${directoryOf(name)}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    cpSync(join(pins, name), unfinished, { recursive: true });
    // Not `npm ci`: a registry that lacks the packages for other systems gives a lock that it refuses.
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1'];
    const optional = withoutOwnCopy.includes(name) ? ['--omit=optional'] : [];
    const done = await npm([...args, '--fetch-timeout=60000', ...optional], unfinished);
    if (done !== null) return done;
    if (programIn(unfinished, name) === null)
      return `no program for ${process.platform} ${process.arch} in the package`;
    rmSync(directoryOf(name), { recursive: true, force: true });
    renameSync(unfinished, directoryOf(name));
    return null;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function npm(args, cwd) {
  return new Promise((settle) => {
    const child = spawn('npm', args, { cwd, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    let said = '';
    let late = false;
    child.stderr.on('data', (part) => {
      said += part;
    });
    const limit = setTimeout(() => {
      late = true;
      process.kill(-child.pid, 'SIGKILL');
    }, installMinutes * 60_000);
    child.on('error', (error) => {
      clearTimeout(limit);
      settle(`npm did not start: ${error.message}`);
    });
    child.on('close', (code) => {
      clearTimeout(limit);
      if (late) settle(`npm was not done after ${installMinutes} minutes`);
      else settle(code === 0 ? null : reasonIn(said) || `npm ended with ${code}`);
    });
  });
}

/** The code and the first sentence of what npm says; the rest is detail, advice and log files. */
function reasonIn(said) {
  const lines = said.split('\n').filter((line) => line.startsWith('npm error'));
  const told = lines
    .map((line) => line.slice('npm error'.length).trim())
    .filter((line) => !/^(syscall|errno|$)/.test(line));
  return told.slice(0, 2).join('; ');
}

/** Runs a script of ours where there is loopback only. */
async function alone(args) {
  const problem = loopbackProblem();
  if (problem !== null) {
    say(`SKIPPED, nothing was run: no namespace that has loopback only: ${problem}`);
    return 0;
  }
  const node = join(root, 'node_modules/.bin/node');
  const [program, ...rest] = inLoopback([existsSync(node) ? node : process.execPath, ...args]);
  const child = spawn(program, rest, { cwd: root, stdio: 'inherit' });
  const limit = setTimeout(() => {
    say(`ended, because it was not done after ${limitMinutes} minutes`);
    child.kill('SIGTERM');
  }, limitMinutes * 60_000);
  return new Promise((settle, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(limit);
      settle(code ?? 1);
    });
  });
}

function cache() {
  const { TIDEGATE_AGENTS_CACHE: own, XDG_CACHE_HOME: shared } = process.env;
  return own || join(shared || join(homedir(), '.cache'), 'tidegate-agents');
}

function directoryOf(name) {
  const lock = readFileSync(join(pins, name, 'package-lock.json'));
  return join(cache(), `${name}-${versionOf(name)}-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`);
}

function programOf(name) {
  return programIn(directoryOf(name), name);
}

function programIn(directory, name) {
  return programs[name].map((file) => join(directory, 'node_modules', file)).find((file) => existsSync(file)) ?? null;
}

function versionOf(name) {
  const { dependencies } = JSON.parse(readFileSync(join(pins, name, 'package.json'), 'utf8'));
  return Object.values(dependencies)[0];
}
