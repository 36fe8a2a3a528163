import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createSecureContext } from 'node:tls';
import { err, ok, type Result } from '../../domain/base/result.ts';

/** The address or Unix socket of a server. */
export type Listen = {
  readonly host: string;
  readonly port: number;
  readonly socket: string | null;
  /** Host names, beside those of the loopback, that clients may use. */
  readonly names: readonly string[];
  readonly tls: { readonly cert: string; readonly key: string } | null;
};

/** Returns the port; 0 for a socket. */
export async function listenOn(server: Server, { socket, host, port }: Listen): Promise<Result<number, string>> {
  if (socket !== null) await removeDeadSocket(socket);
  return await new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(err(listenProblem(error, socket ?? `${host}:${port}`))),
    );
    const listening = (): void => {
      server.removeAllListeners('error');
      if (socket !== null) chmodSync(socket, 0o600);
      resolve(ok(socket === null ? (server.address() as AddressInfo).port : 0));
    };
    if (socket === null) server.listen({ host, port }, listening);
    else {
      // private from the first moment, not only after the chmod
      const before = process.umask(0o177);
      server.listen({ path: socket }, listening);
      process.umask(before);
    }
  });
}

function listenProblem(error: NodeJS.ErrnoException, where: string): string {
  if (error.code === 'EADDRINUSE') return `${where} is in use; choose another with --port or --socket`;
  if (error.code === 'EACCES') return `${where} is not yours to use; choose another with --port or --socket`;
  return `cannot listen on ${where}: ${error.message}`;
}

/** Removes the socket of a killed server. Anything else in that place stays. */
async function removeDeadSocket(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return;
  const isDead = await new Promise<boolean>((resolve) => {
    const socket = connect({ path }, () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });
  if (isDead) rmSync(path, { force: true });
}

/** Returns the `Host` values that lead here, with the port unless it is the default of the scheme. */
export function hostNames({ socket, names, tls }: Listen, port: number): readonly string[] {
  if (socket !== null) return ['localhost'];
  const usual = tls === null ? 80 : 443;
  return [...names, '127.0.0.1', 'localhost', '[::1]'].flatMap((name) =>
    port === usual ? [`${name}:${port}`, name] : [`${name}:${port}`],
  );
}

/** Reads the files before anything starts: a problem with them is a mistake of the caller, not a fault. */
export async function readTls(files: Listen['tls']): Promise<Result<{ cert: Buffer; key: Buffer } | null, string>> {
  if (files === null) return ok(null);
  try {
    const [cert, key] = await Promise.all([readFile(files.cert), readFile(files.key)]);
    createSecureContext({ cert, key });
    return ok({ cert, key });
  } catch (error) {
    return err(`cannot use ${files.cert} and ${files.key} for TLS: ${(error as Error).message}`);
  }
}
