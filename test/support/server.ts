import { readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type AccessRole, accessRoles } from '../../src/protocol/route.ts';
import { cookieOf, pageKeyOf, tokenOf } from '../../src/server/http/keys.ts';
import { holdToContract } from './contract.ts';
import { ended, handoff, type Project, project, scripted } from './project.ts';

export type Answered = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** What the text is as JSON; null where it is none. */
  readonly json: unknown;
};
export type Asked = {
  readonly token?: string;
  readonly headers?: OutgoingHttpHeaders;
  /** Sent as JSON, with its content type. */
  readonly body?: unknown;
};

/** A plan of one small task, for servers that need a run to show. */
export const smallPlan = {
  name: 'small',
  tasks: { one: scripted(`echo one > one.txt; ${handoff}`, { owns: ['one.txt'] }) },
};

/** A person's repository whose plan has been run and landed: its ledger has all that a run leaves. */
export async function projectWithRun(plan: object = smallPlan): Promise<Project & { readonly run: string }> {
  const scene = await project({ plan });
  const ran = await scene.cli('run', 'plan.yaml', '--yes', '--land', '--json');
  const { run } = JSON.parse(ran.stdout) as { readonly run?: string };
  if (ran.code !== 0 || run === undefined) throw new Error(`the run failed: ${ran.stdout}${ran.stderr}`);
  return { ...scene, run };
}

/** `tidegate serve` in the project, as a process of its own; a free port unless the arguments say otherwise. Ends with the scope. */
export async function serverOf(
  scene: Project,
  {
    args = ['--port', '0'],
    env = {},
  }: { readonly args?: readonly string[]; readonly env?: Record<string, string> } = {},
) {
  const child = scene.start(['serve', '--json', ...args], env);
  const over = ended(child);
  const url = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes('\n')) resolve((JSON.parse(text.split('\n')[0] ?? '') as { serving: string }).serving);
    });
    void over.then(({ stdout, stderr }) => reject(new Error(`no server: ${stdout}${stderr}`)));
  });
  const secret = keyOf(scene);
  const tokens = Object.fromEntries(accessRoles.map((role) => [role, tokenOf(secret, role)])) as Record<
    AccessRole,
    string
  >;
  const port = url.startsWith('unix:') ? 0 : Number(new URL(url).port);
  return {
    child,
    url,
    host: `127.0.0.1:${port}`,
    port,
    secret,
    tokens,
    entered: (role: AccessRole, expires?: number) => enteredBy(secret, role, expires),
    ask: (method: string, path: string, asked: Asked = {}) => ask(port, method, path, asked),
    /** Writes bytes as they are and gives all that came back until the server closed. */
    raw: (bytes: string | Buffer) => rawAnswer(port, bytes),
    connect: () => connected(port),
    /** What it printed, when it has ended. */
    stop: async () => {
      child.kill('SIGTERM');
      return await over;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await over;
    },
  };
}
export type Serving = Awaited<ReturnType<typeof serverOf>>;

/** What a page of the server sends, in a browser that followed a link. */
export function enteredBy(secret: Buffer, role: AccessRole, expires = Date.now() + 60_000) {
  const cookie = cookieOf(secret, role, expires);
  return { cookie: `tidegate=${cookie}`, 'tidegate-page': pageKeyOf(secret, cookie) };
}

/** The secret of the person's server, from its file. */
export const keyFileOf = (scene: Project): string => join(scene.environment.TIDEGATE_STATE_DIR, 'server', 'key');
const keyOf = (scene: Project): Buffer => Buffer.from(readFileSync(keyFileOf(scene), 'utf8').trim(), 'base64url');

/** One request on a connection of its own. What comes back has to be in the contract. */
async function ask(port: number, method: string, path: string, asked: Asked): Promise<Answered> {
  const answered = await exchange(port, method, path, asked);
  const { status, headers, text } = answered;
  holdToContract({ method, path, status, type: headers['content-type'], text });
  return answered;
}

/** Host and Origin are what `headers` says: `fetch` would not let us lie. */
export function exchange(
  port: number,
  method: string,
  path: string,
  { token, headers = {}, body }: Asked,
): Promise<Answered> {
  const content = body === undefined ? null : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        agent: false,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(content === null
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: jsonIn(text) });
        });
      },
    );
    sent.once('error', reject);
    sent.end(content ?? undefined);
  });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

export async function rawAnswer(port: number, bytes: string | Buffer): Promise<string> {
  const socket = await connected(port);
  const said = textOf(socket);
  socket.write(bytes);
  return await said;
}

export function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Until the other side has closed, or has reset what it did not want to read. */
export function textOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(text));
  });
}
