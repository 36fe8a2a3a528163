import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Job } from '../../src/ports/supervisor.ts';

/** One launch of a scripted agent, stepped by the test from outside the fence. */
type Invocation = {
  readonly pid: number;
  readonly reminded: boolean;
  /** Runs a shell command inside; never rejects because of its exit code. */
  sh(command: string): Promise<{ readonly code: number; readonly output: string }>;
  write(file: string, text: string): Promise<void>;
  handoff(status?: 'done' | 'partial' | 'failed', summary?: string): Promise<void>;
  /** Ends the agent; does not wait for anything. */
  exit(code: number): void;
};

export type Puppet = AsyncDisposable & {
  /** What a job needs so that this puppet is its agent. */
  readonly job: Pick<Job, 'argv' | 'executor' | 'environment' | 'fence'>;
  nextInvocation(): Promise<Invocation>;
};

/** Runs inside the fence: takes shell commands by the line, answers with code and output. */
const program = `
const { connect } = require('node:net');
const { spawnSync } = require('node:child_process');
const socket = connect(process.env.TIDEGATE_PUPPET);
const say = (message) => socket.write(JSON.stringify(message) + '\\n');
let text = '';
socket.on('connect', () => say({ hello: process.pid, reminded: process.env.TIDEGATE_REMINDER === '1' }));
socket.on('close', () => process.exit(99));
socket.setEncoding('utf8').on('data', (chunk) => {
  text += chunk;
  for (let end = text.indexOf('\\n'); end >= 0; end = text.indexOf('\\n')) {
    const order = JSON.parse(text.slice(0, end));
    text = text.slice(end + 1);
    if (order.exit !== undefined) process.exit(order.exit);
    const run = spawnSync('/bin/sh', ['-c', order.sh], { encoding: 'utf8', input: order.input ?? '' });
    say({ code: run.status ?? 128, output: run.stdout + run.stderr });
  }
});`;

/** `beside` is a directory of the test; the puppet's socket is bound into the fence from there. */
export async function puppet(beside: string): Promise<Puppet> {
  mkdirSync(beside, { recursive: true });
  const directory = mkdtempSync(join(beside, 'p'));
  chmodSync(directory, 0o755);
  const path = join(directory, 's');
  const waiting: ((invocation: Invocation) => void)[] = [];
  const arrived: Invocation[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    serve(socket, (invocation) => {
      const next = waiting.shift();
      if (next === undefined) arrived.push(invocation);
      else next(invocation);
    });
  });
  await new Promise<void>((done) => server.listen(path, done));
  chmodSync(path, 0o666);
  return {
    job: {
      argv: ['/run/tidegate/node', '-e', program],
      executor: 'scripted',
      environment: { TIDEGATE_PUPPET: path },
      fence: { mode: 'auto', network: 'off', read: [], write: [directory], env: [] },
    },
    nextInvocation() {
      const ready = arrived.shift();
      return ready === undefined ? new Promise((done) => waiting.push(done)) : Promise.resolve(ready);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

type Answer = { readonly code: number; readonly output: string };

function serve(socket: Socket, arrived: (invocation: Invocation) => void): void {
  const answers: ((answer: Answer) => void)[] = [];
  const ask = (order: { sh: string; input?: string }): Promise<Answer> =>
    new Promise((done) => {
      answers.push(done);
      socket.write(`${JSON.stringify(order)}\n`);
    });
  const must = async (order: { sh: string; input?: string }): Promise<void> => {
    const { code, output } = await ask(order);
    if (code !== 0) throw new Error(`the puppet failed with ${code}: ${output}`);
  };
  const invocation = (hello: { hello: number; reminded: boolean }): Invocation => ({
    pid: hello.hello,
    reminded: hello.reminded,
    sh: (command) => ask({ sh: command }),
    write: (file, content) => must({ sh: `mkdir -p "$(dirname '${file}')" && cat > '${file}'`, input: content }),
    handoff: (status = 'done', summary = 'did it') => must({ sh: `tidegate handoff ${status} -m '${summary}'` }),
    exit: (code) => void socket.write(`${JSON.stringify({ exit: code })}\n`),
  });
  let text = '';
  socket.on('error', () => socket.destroy());
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const message = JSON.parse(text.slice(0, end)) as Answer & { hello?: number; reminded: boolean };
      text = text.slice(end + 1);
      if (message.hello !== undefined) arrived(invocation({ hello: message.hello, reminded: message.reminded }));
      else answers.shift()?.(message);
    }
  });
}
