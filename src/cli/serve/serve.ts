import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { type Context, done, exitCodes, misused, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import type { Listen, RunningServer } from '../frame/ports.ts';
import { failed } from '../frame/with-repository.ts';

type ServeOptions = {
  readonly port: string;
  readonly host: string;
  readonly socket: string | undefined;
  readonly name: readonly string[];
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
};

/** `tidegate serve`: REST, WebSocket, SSE and MCP for all repositories of the person, on the loopback. */
export async function serveApi(options: ServeOptions, context: Context, { ports }: Program): Promise<Outcome> {
  const listen = listenOf(options);
  if (!listen.ok) return misused('bad-address', `serve: ${listen.error}`);
  const started = await (await ports.serve()).start(context, listen.value);
  if (!started.ok) return failed('not-serving', `serve: ${started.error}`);
  return await untilLeft(context, started.value, listen.value);
}

async function untilLeft(context: Context, running: RunningServer, { socket }: Listen): Promise<Outcome> {
  const left = Promise.withResolvers<'left'>();
  using _signals = context.onSignal(() => left.resolve('left'));
  if (context.json) context.terminal.json({ serving: running.url });
  else {
    context.terminal.line(`Serving on ${running.url}`);
    if (socket === null && context.terminal.interactive && running.link !== null)
      context.terminal.line(`In a browser, once, within five minutes: ${running.link()}`);
    context.terminal.line('For scripts: tidegate token. Ctrl-C ends the server; runs go on in the background.');
  }
  try {
    await Promise.race([left.promise, running.failed]);
  } finally {
    await running.stop();
  }
  return { ...done([], { served: running.url }), exit: exitCodes.done };
}

function listenOf(options: ServeOptions): Result<Listen, string> {
  const { host, name: names, socket = null, tlsCert, tlsKey } = options;
  const port = /^\d{1,5}$/.test(options.port) ? Number(options.port) : -1;
  if (port < 0 || port > 65_535) return err(`--port takes a number from 0 to 65535, not ${options.port}`);
  if (socket !== null && !isAbsolute(socket)) return err('--socket takes an absolute path');
  if ((tlsCert === undefined) !== (tlsKey === undefined)) return err('--tls-cert and --tls-key go together');
  const tls = tlsCert === undefined || tlsKey === undefined ? null : { cert: tlsCert, key: tlsKey };
  if (isIP(host) === 0) return err(`--host takes an IP address, not ${JSON.stringify(host)}`);
  if (!isLoopback(host) && tls === null)
    return err(
      `${host} can be reached from other machines, and without TLS tokens could be read on the way: give --tls-cert and --tls-key, or reach the loopback by ssh -L ${port}:127.0.0.1:${port}`,
    );
  if (!isLoopback(host) && names.length === 0) return err('say by --name what other machines call this one');
  const odd = names.find((name) => !/^[a-z0-9][a-z0-9.-]{0,252}$/.test(name));
  if (odd !== undefined) return err(`--name takes a host name in small letters, not ${JSON.stringify(odd)}`);
  return ok({ host, port, socket, names, tls });
}

const isLoopback = (host: string): boolean => host === '127.0.0.1' || host === '::1';
