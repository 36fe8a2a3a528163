import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { err, ok, type Result } from '../../../domain/base/result.ts';
import type { Listen } from '../../../server/http/listen.ts';
import type { RunningServer } from '../../../server/start.ts';
import { type Context, command, done, failure, type Outcome, usageError } from '../../frame/command.ts';

export const serveCommand = command({
  name: 'serve',
  group: 'serve',
  summary: 'serve an API for your programs, on this machine only',
  options: {
    port: { value: 'number', default: '3847', about: 'the port; 0 chooses a free one' },
    host: { value: 'address', default: '127.0.0.1', about: 'the address to listen on; any but the loopback needs TLS' },
    socket: { value: 'path', about: 'listen on a Unix socket that only you can use, instead of a port' },
    name: { value: 'host', repeatable: true, about: 'another host name that clients may use; repeatable' },
    tlsCert: { value: 'file', about: 'TLS certificate; needs --tls-key' },
    tlsKey: { value: 'file', about: 'private key of the certificate' },
  },
  help: 'Offers REST, WebSocket, server-sent events and MCP for all your repositories.',
  run: async (options, context, { ports }) => {
    const listen = listenOf(options);
    if (!listen.ok) return usageError('bad-address', `serve: ${listen.error}`);
    const server = await (await ports.serve()).start(context, listen.value);
    if (!server.ok) return failure('not-serving', `serve: ${server.error}`);
    return await serveUntilSignal(context, server.value, listen.value);
  },
});

type ServeOptions = {
  readonly port: string;
  readonly host: string;
  readonly socket: string | undefined;
  readonly name: readonly string[];
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
};

async function serveUntilSignal(context: Context, server: RunningServer, { socket }: Listen): Promise<Outcome> {
  const left = Promise.withResolvers<'left'>();
  using _signals = context.onSignal(() => left.resolve('left'));
  if (context.json) context.terminal.json({ serving: server.url });
  else {
    context.terminal.line(`Serving on ${server.url}`);
    if (socket === null && context.terminal.interactive && server.link !== null)
      context.terminal.line(`Open in a browser (works once, for five minutes): ${server.link()}`);
    context.terminal.line(
      'Get a token for scripts: tidegate token. Ctrl-C ends the server; runs continue in the background.',
    );
  }
  try {
    await Promise.race([left.promise, server.failed]);
  } finally {
    await server.stop();
  }
  return done([], { served: server.url });
}

function listenOf(options: ServeOptions): Result<Listen, string> {
  const { host, name: names, socket = null, tlsCert, tlsKey } = options;
  const port = /^\d{1,5}$/.test(options.port) ? Number(options.port) : -1;
  if (port < 0 || port > 65_535) return err(`--port takes a number from 0 to 65535, not ${options.port}`);
  if (socket !== null && !isAbsolute(socket)) return err('--socket takes an absolute path');
  if ((tlsCert === undefined) !== (tlsKey === undefined)) return err('--tls-cert and --tls-key must be used together');
  const tls = tlsCert === undefined || tlsKey === undefined ? null : { cert: tlsCert, key: tlsKey };
  if (isIP(host) === 0) return err(`--host takes an IP address, not ${JSON.stringify(host)}`);
  if (!isLoopback(host) && tls === null)
    return err(
      `other machines can reach ${host}, and without TLS they could read tokens. Use --tls-cert and --tls-key, or stay on the loopback and use: ssh -L ${port}:127.0.0.1:${port}`,
    );
  if (!isLoopback(host) && names.length === 0) return err('--name must give the host name that other machines use');
  const odd = names.find((name) => !/^[a-z0-9][a-z0-9.-]{0,252}$/.test(name));
  if (odd !== undefined) return err(`--name takes a host name in lower case, not ${JSON.stringify(odd)}`);
  return ok({ host, port, socket, names, tls });
}

const isLoopback = (host: string): boolean => host === '127.0.0.1' || host === '::1';
