import { closeSync, readFileSync, writeSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream';
import { fileURLToPath } from 'node:url';

/**
 * The `tidegate` that an agent finds in its fence. It can hand off, ask for scope and use the board, and nothing else. Tidegate itself
 * starts its hook and its relay. It is copied into the fence as one file, so it imports nothing of ours. It exits with 0 when the
 * supervisor took the message, 1 when not, and 2 for wrong usage or a command that only a person may run.
 */
const usage = `usage: tidegate handoff done|partial|failed -m "summary" [--remaining text]... [--file path]... [--proof text]... [--question text]... [--claim part=level]...
                        [--dropped "path:lines reason"]...     (resolvers: changes that the result lacks)
       tidegate handoff --json -        (a JSON document on stdin)
       tidegate verdict word [-m "summary"] [--finding text]... [--dimension name=word]... [--environment name=word]... [--approval text]...
                        [--target id]... [--benchmark id]... [--regressions n] [--item name]...     (closure roles only)
       tidegate verdict --json -        (a report as a JSON document on stdin)
       tidegate ask --scope path... [-m "why"] [--wait seconds]
       tidegate ask -m "question" [--to person|task] [--severity advisory|normal|critical] [--wait seconds]
       tidegate post [kind] -m "text" [--to all|person|task|owner|capability:name] [--severity advisory|normal|critical] [--ref path|component:name|task:name|record:n]...
                     [--depends-on n]... [--until text] [--priority low|normal|high|urgent] [--confidence low|medium|high]
                     (kinds: note, question, request, decision, handoff-note, ack, claim, evidence, blocker, contradiction, human-escalation;
                     the orchestrator of a run: orchestrator-guidance, and no other)
       tidegate ack n | start n | answer n -m "text" | resolve n -m "text" | escalate n -m "why"       (records for your task)
       tidegate cancel n                                                                            (records that you posted)
       tidegate inbox [n]   (messages to you, answers to your questions, and what is open in your wave; or record n whole)
       tidegate mcp         (the same as MCP tools, on stdin and stdout)`;

const lists: Readonly<Record<string, string>> = {
  '--remaining': 'remaining',
  '--file': 'files',
  '--proof': 'proofs',
  '--question': 'questions',
  '--dropped': 'dropped',
};

/** Options of a verdict that are lists, and those that are names with words. */
const reportLists = new Map([
  ['--finding', 'findings'],
  ['--approval', 'approvals'],
  ['--target', 'targets'],
  ['--benchmark', 'benchmarks'],
  ['--item', 'items'],
]);
const reportMaps = new Map([
  ['--dimension', 'dimensions'],
  ['--environment', 'environments'],
]);

/** The names of acts here. Those that only people may do are sent, too: they are refused there and recorded. */
const acts: Readonly<Record<string, string>> = { ack: 'acknowledge' };
const actNames = 'acknowledge start answer resolve escalate cancel dismiss reassign defer advisory stale'.split(' ');

/** Options of a post that most posts do not have. */
const postOptions: Readonly<Record<string, string>> = {
  '--ref': 'references',
  '--depends-on': 'dependsOn',
  '--until': 'closureCondition',
  '--priority': 'priority',
  '--confidence': 'confidence',
};

const [command, ...rest] = process.argv.slice(2);
process.exitCode = await main(command, rest);

async function main(command: string | undefined, args: readonly string[]): Promise<number> {
  if (command === undefined || command === 'help' || command === '--help' || command === '-h') {
    console.log(usage);
    return command === undefined ? 2 : 0;
  }
  if (command === 'hook') return await hook();
  if (command === 'relay') return await relay(Number(args[0]), args[1] ?? '');
  if (command === 'ask') return args.includes('--scope') ? await askForScope(args) : await askQuestion(args);
  if (command === 'post') return await post(args);
  if (command === 'inbox') return await inbox(args[0]);
  const act = actNamed(command, args);
  if (act !== null) return await actOn(act, args);
  if (command === 'mcp-line') return await mcpLine();
  if (command === 'mcp') {
    console.error(`tidegate mcp: it takes no arguments\n${usage}`);
    return 2;
  }
  if (command === 'verdict') return await end('verdict', parseVerdict(args), 'report taken; you may end now');
  if (command === 'handoff') return await end('handoff', parse(args), 'handoff taken; you may end now');
  return await refuse(command, args);
}

async function end(command: string, handoff: object | string, taken: string): Promise<number> {
  if (typeof handoff === 'string') {
    console.error(`tidegate ${command}: ${handoff}\n${usage}`);
    return 2;
  }
  const answer = await ask({ do: 'handoff', handoff });
  if (answer.ok) console.log(taken);
  else console.error(`tidegate ${command}: not taken: ${answer.why ?? 'no reason given'}`);
  return answer.ok ? 0 : 1;
}

/** Exits with 0 when the paths are granted, or requested without --wait; with 1 when refused, without an answer in time, or granted for the next attempt only. */
async function askForScope(args: readonly string[]): Promise<number> {
  const request = parseAsk(args);
  if (typeof request === 'string') {
    console.error(`tidegate ask: ${request}\n${usage}`);
    return 2;
  }
  const answer = await ask({ do: 'ask', ...request });
  const paths = request.paths.join(' ');
  if (!answer.ok) console.error(`tidegate ask: not taken: ${answer.why ?? 'no reason given'}`);
  else if (answer.later !== undefined)
    console.error(
      `granted from the next attempt on; read-only in this one: ${answer.later.join(' ')}. Go on without it, or hand off partial`,
    );
  else if (answer.granted === true) console.log(`granted: you may change ${paths} now`);
  else if (request.wait > 0) console.error(`no answer about ${paths} within ${request.wait} s; go on without it`);
  else console.log(`asked for ${paths}: a person may grant it while you work. Go on with something else for now`);
  return answer.ok && answer.later === undefined && (answer.granted === true || request.wait <= 0) ? 0 : 1;
}

type ScopeRequest = { readonly paths: readonly string[]; readonly why: string; readonly wait: number };

function parseAsk(args: readonly string[]): ScopeRequest | string {
  const paths: string[] = [];
  let [why, wait, option] = ['', 0, ''];
  for (const arg of args) {
    if (arg.startsWith('-')) option = arg;
    else if (option === '--scope') paths.push(`${resolve(arg)}${arg.endsWith('/') ? '/' : ''}`);
    else if (option === '-m' || option === '--message') why = arg;
    else if (option === '--wait' && /^\d{1,4}$/.test(arg)) wait = Number(arg);
    else return option === '' ? 'name the paths: --scope path...' : `${option} ${arg} is not understood`;
  }
  return paths.length === 0 ? 'name the paths: --scope path...' : { paths, why, wait };
}

/** Exits with 0 when the question was sent, or answered in time with --wait; with 1 when refused, or without an answer in time. */
async function askQuestion(args: readonly string[]): Promise<number> {
  const question = parsePost(args, ['--to', '--severity', '--wait']);
  if (typeof question === 'string') {
    console.error(`tidegate ask: ${question}\n${usage}`);
    return 2;
  }
  const { to = 'person', text, severity, wait } = question;
  const answer = await ask({ do: 'post', kind: 'question', target: to, text, severity, wait });
  if (!answer.ok) console.error(`tidegate ask: not taken: ${answer.why ?? 'no reason given'}`);
  else if (typeof answer.answer === 'string') console.log(`answered: ${answer.answer}`);
  else if (question.wait > 0)
    console.error(`no answer within ${question.wait} s; go on, and look again with: tidegate inbox`);
  else console.log('asked. Go on with something else for now; an answer is shown by: tidegate inbox');
  return answer.ok && (typeof answer.answer === 'string' || question.wait <= 0) ? 0 : 1;
}

/** The act of `ack 3` or of `record 3 acknowledge`; null for another command. */
function actNamed(command: string, args: readonly string[]): string | null {
  const name = command === 'record' ? (args[1] ?? '') : command;
  const act = acts[name] ?? name;
  return actNames.includes(act) && /^[0-9]{1,9}$/.test(args[0] ?? '') ? act : null;
}

/** Exits with 0 when the act was taken, 1 when it was refused. */
async function actOn(act: string, args: readonly string[]): Promise<number> {
  const at = args.findIndex((arg) => arg === '-m' || arg === '--message');
  const [record, text] = [args[0], at < 0 ? undefined : args[at + 1]];
  const answer = await ask({ do: 'act', record, act, text });
  if (answer.ok) console.log(`${act}: record ${record}, taken`);
  else console.error(`tidegate ${act}: refused: ${answer.why ?? 'no reason given'}`);
  return answer.ok ? 0 : 1;
}

async function post(args: readonly string[]): Promise<number> {
  const [first = ''] = args;
  if (args.includes('--repository')) {
    console.error('tidegate post: only people write to the board of the repository; post to your run, or ask a person');
    return 1;
  }
  const named = first.startsWith('-') || first === '' ? args : ['--kind', ...args];
  const posted = parsePost(named, ['--to', '--kind', '--severity', ...Object.keys(postOptions)]);
  if (typeof posted === 'string') {
    console.error(`tidegate post: ${posted}\n${usage}`);
    return 2;
  }
  const { to, kind = 'note', ...content } = posted;
  const answer = await ask({ do: 'post', kind, target: to, ...content });
  if (answer.ok) console.log(to === undefined ? 'posted' : `posted for ${to}`);
  else console.error(`tidegate post: not taken: ${answer.why ?? 'no reason given'}`);
  return answer.ok ? 0 : 1;
}

type Posted = {
  readonly text: string;
  readonly to?: string;
  readonly kind?: string;
  readonly severity?: string;
  readonly wait: number;
} & Readonly<Record<string, unknown>>;

function parsePost(args: readonly string[], known: readonly string[]): Posted | string {
  const found = new Map<string, string>();
  const details: Record<string, string | readonly string[]> = {};
  for (let index = 0; index < args.length; index += 2) {
    const [argument = '', value] = [args[index], args[index + 1]];
    const option = argument === '--message' ? '-m' : argument;
    if (option !== '-m' && !known.includes(option)) return `unknown option ${argument}`;
    if (value === undefined) return `${argument} needs a value`;
    found.set(option, value);
    const name = postOptions[option];
    if (name === 'references' || name === 'dependsOn') details[name] = [...(details[name] ?? []), value];
    else if (name !== undefined) details[name] = value;
  }
  const named = ['-m', '--to', '--kind', '--severity', '--wait'].map((option) => found.get(option));
  const [text, to, kind, severity, wait = '0'] = named;
  if (text === undefined) return 'a message is needed: -m "text"';
  if (!/^\d{1,4}$/.test(wait)) return `--wait ${wait} is not understood`;
  return {
    text,
    wait: Number(wait),
    ...(to === undefined ? {} : { to }),
    ...(kind === undefined ? {} : { kind }),
    ...(severity === undefined ? {} : { severity }),
    ...details,
  };
}

async function inbox(record: string | undefined): Promise<number> {
  const { mail } = await ask({ do: 'inbox', record });
  if (mail === undefined) console.error('tidegate inbox: the supervisor does not answer');
  else console.log(mail);
  return mail === undefined ? 1 : 0;
}

/** Prints the name of the pipes on which the supervisor itself speaks MCP, for `tidegate mcp`, which is two `cat`. */
async function mcpLine(): Promise<number> {
  const { line, why } = await ask({ do: 'mcp' });
  if (line === undefined) console.error(`tidegate mcp: not started: ${why ?? 'no reason given'}`);
  else console.log(fileURLToPath(new URL(`./${line}`, import.meta.url)));
  return line === undefined ? 1 : 0;
}

/** Run by the agent itself before each tool call. Every failure blocks the call, by exit 2. */
async function hook(): Promise<number> {
  const answer = await ask({ do: 'hook', payload: payloadOnStdin() });
  if (!answer.ok) console.error(`tidegate: the call cannot be judged: ${answer.why ?? 'no reason given'}`);
  else (answer.exit === 0 ? process.stdout : process.stderr).write(answer.stdout ?? '');
  return answer.ok ? (answer.exit ?? 0) : 2;
}

/**
 * Passes bytes between the fence's own loopback and the socket where the supervisor judges them. Lives as long as the fence, because
 * an agent that was asked to end may still send something. The end of its output says that it listens.
 */
async function relay(port: number, path: string): Promise<number> {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ path, allowHalfOpen: true });
    pipeline(near, far, () => undefined);
    pipeline(far, near, () => undefined);
  });
  server.maxConnections = 256;
  return await new Promise((resolve) => {
    server.once('error', () => resolve(1));
    server.listen(port, '127.0.0.1', () => {
      writeSync(1, 'listening\n');
      closeSync(1);
    });
  });
}

function payloadOnStdin(): unknown {
  try {
    return JSON.parse(readFileSync(0, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

async function refuse(command: string, args: readonly string[]): Promise<number> {
  await ask({ do: 'refused', what: [command, ...args].join(' ') });
  console.error(`tidegate ${command}: refused: only a person outside the fence can do this; the try was recorded`);
  return 2;
}

/** Returns a handoff with a report, or a text that says why the arguments do not fit. */
function parseVerdict(args: readonly string[]): object | string {
  if (args[0] === '--json') {
    const document = parseDocument(args);
    return typeof document === 'string' ? document : verdict(document);
  }
  const [word, ...options] = args;
  if (word === undefined || word.startsWith('-')) return 'say a word of your role first';
  const report: Report = { lists: {}, maps: {}, rest: { word } };
  for (let index = 0; index < options.length; index += 2) {
    const [option = '', value] = [options[index], options[index + 1]];
    if (value === undefined) return `${option} needs a value`;
    const problem = addToReport(report, option, value);
    if (problem !== null) return problem;
  }
  return verdict({ ...report.rest, ...report.lists, ...report.maps });
}

type Report = {
  readonly lists: Record<string, readonly string[]>;
  readonly maps: Record<string, Readonly<Record<string, string>>>;
  readonly rest: Record<string, string | number>;
};

/** Returns why the option does not fit; null when it was added. */
function addToReport({ lists, maps, rest }: Report, option: string, value: string): string | null {
  const [list, map] = [reportLists.get(option), reportMaps.get(option)];
  if (list !== undefined) lists[list] = [...(lists[list] ?? []), value];
  else if (map !== undefined) {
    const [, name, word] = /^([^=]+)=(.+)$/.exec(value) ?? [];
    if (name === undefined || word === undefined) return `${option} needs name=word`;
    maps[map] = { ...maps[map], [name]: word };
  } else if (option === '--regressions') {
    if (!/^\d{1,7}$/.test(value)) return '--regressions needs a number';
    rest['regressions'] = Number(value);
  } else if (option === '-m' || option === '--message') rest['summary'] = value;
  else return `unknown option ${option}`;
  return null;
}

function verdict({ summary, ...report }: { readonly summary?: unknown; readonly word?: unknown }): object {
  return { status: 'done', summary: summary ?? String(report.word), report };
}

/** Returns the document, or a text that says why the arguments do not fit. */
function parse(args: readonly string[]): object | string {
  if (args[0] === '--json') return parseDocument(args);
  const [status, ...options] = args;
  if (status === undefined || !['done', 'partial', 'failed'].includes(status)) return 'say done, partial or failed';
  const found: Record<string, string[]> = { remaining: [], files: [], proofs: [], questions: [], dropped: [] };
  const claims: Record<string, string> = {};
  let summary: string | null = null;
  for (let index = 0; index < options.length; index += 2) {
    const [option, value] = [options[index] as string, options[index + 1]];
    if (value === undefined) return `${option} needs a value`;
    const list = lists[option];
    if (option === '-m' || option === '--message') summary = value;
    else if (option === '--claim') {
      const [part = '', level] = value.split('=', 2);
      if (level === undefined) return `--claim ${value} is not understood: write --claim part=level`;
      claims[part] = level;
    } else if (list !== undefined) found[list]?.push(value);
    else return `unknown option ${option}`;
  }
  if (summary === null) return 'a summary is needed: -m "what was done"';
  const { dropped = [], ...named } = found;
  const left = dropped.length === 0 ? {} : { dropped };
  return { status, summary, ...named, ...left, ...(Object.keys(claims).length === 0 ? {} : { claims }) };
}

function parseDocument(args: readonly string[]): object | string {
  if (args.length !== 2 || args[1] !== '-') return 'use --json - and write the document to stdin';
  try {
    const document: unknown = JSON.parse(readFileSync(0, 'utf8'));
    return typeof document === 'object' && document !== null ? document : 'stdin is not a JSON object';
  } catch (error) {
    if (error instanceof SyntaxError) return `stdin is not JSON: ${error.message}`;
    throw error;
  }
}

type Answer = {
  readonly ok: boolean;
  readonly why?: string;
  readonly stdout?: string;
  readonly exit?: number;
  readonly granted?: boolean;
  readonly later?: readonly string[];
  readonly answer?: string | null;
  readonly mail?: string;
  readonly line?: string;
};

function ask(message: object): Promise<Answer> {
  // an MCP client starts its servers without most variables; the socket always lies beside this file
  const path = process.env['TIDEGATE_SOCKET'] ?? fileURLToPath(new URL('./s', import.meta.url));
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(path, () => socket.write(`${JSON.stringify(message)}\n`));
    socket.on('error', (error) => resolve({ ok: false, why: error.message }));
    socket.on('close', () => resolve({ ok: false, why: 'the supervisor closed the connection' }));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (!text.endsWith('\n')) return;
      resolve(JSON.parse(text) as Answer);
      socket.end();
    });
  });
}
