import { spawnSync } from 'node:child_process';
import { chownSync, constants, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { type AskChannel, mcpAnswer, type ToolUser } from './mcp-tools.ts';

export type McpLines = Disposable & {
  /** Opens a line and returns its name: the pipes are `name.in` and `name.out` in the directory. Null when there can be no more. */
  open(): string | null;
};

const most = { atOnce: 8, opened: 64, bytes: 1 << 20, pending: 16 };

/**
 * Lines of MCP between a fence and its supervisor: two named pipes each. An agent then keeps two `cat` for it while it lives,
 * and not a Node process. A message on them comes from this attempt, as one on the socket does, and is trusted no more.
 */
export function openMcpLines(
  place: { readonly directory: string; readonly mkfifo: string; readonly owner: number },
  ask: AskChannel,
  user?: ToolUser,
): McpLines {
  const lines = new Set<Disposable>();
  let opened = 0;
  return {
    open() {
      if (lines.size >= most.atOnce || opened >= most.opened) return null;
      opened += 1;
      const name = `m${opened}`;
      const path = join(place.directory, name);
      const files = [`${path}.in`, `${path}.out`];
      const remove = (): void => {
        for (const file of files) rmSync(file, { force: true });
      };
      if (!makePipes(place, files)) {
        remove();
        return null;
      }
      const line = follow(
        path,
        (text) => mcpAnswer(text, ask, user),
        () => {
          lines.delete(line);
          remove();
        },
      );
      lines.add(line);
      return name;
    },
    [Symbol.dispose]() {
      for (const line of lines) line[Symbol.dispose]();
    },
  };
}

/** Returns false when they cannot be made. The agent can still use its commands. */
function makePipes({ mkfifo, owner }: { mkfifo: string; owner: number }, files: readonly string[]): boolean {
  const made = spawnSync(mkfifo, ['-m', '600', '--', ...files], { env: {} });
  if (made.status !== 0) return false;
  if (process.getuid?.() === 0) for (const file of files) chownSync(file, owner, owner);
  return true;
}

/** Answers lines until the other side closes. Reads no more than it can answer, so that neither side can fill our memory. */
function follow(path: string, reply: (text: string) => Promise<object | null>, over: () => void): Disposable {
  const input = new Socket({ fd: openSync(`${path}.in`, constants.O_RDONLY | constants.O_NONBLOCK), writable: false });
  // Opened for reading too, because a pipe without a reader cannot be opened for writing alone.
  const output = new Socket({ fd: openSync(`${path}.out`, constants.O_RDWR | constants.O_NONBLOCK), readable: false });
  let pending = 0;
  let isOver = false;
  const close = (): void => {
    input.destroy();
    output.destroy();
  };
  const proceed = (): void => {
    if (isOver && pending === 0 && output.writableLength === 0) close();
    else if (pending >= most.pending || output.writableNeedDrain) input.pause();
    else input.resume();
  };
  const answer = async (line: Uint8Array | null): Promise<void> => {
    pending += 1;
    const document = line === null ? tooLong : await reply(decoded(line));
    pending -= 1;
    if (document !== null && !output.destroyed) output.write(`${JSON.stringify(document)}\n`);
    proceed();
  };
  const take = wholeLines((line) => void answer(line));
  input.on('data', (chunk: Buffer) => {
    take(chunk);
    proceed();
  });
  input.on('end', () => {
    isOver = true;
    proceed();
  });
  output.on('drain', proceed);
  for (const socket of [input, output]) socket.on('error', close);
  output.on('close', over);
  return { [Symbol.dispose]: close };
}

const tooLong = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32600, message: `a line has at most ${most.bytes} bytes` },
};

/** Passes on each line without its end, and null for one that is too long. Empty lines are skipped. */
function wholeLines(hear: (line: Uint8Array | null) => void): (chunk: Uint8Array) => void {
  let rest: Uint8Array = new Uint8Array();
  let isTooLong = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      if (isTooLong || end > most.bytes) hear(null);
      else if (end > 0) hear(rest.subarray(0, end));
      isTooLong = false;
      rest = rest.subarray(end + 1);
    }
    if (rest.length <= most.bytes) return;
    isTooLong = true;
    rest = new Uint8Array();
  };
}

const newline = 0x0a;

/** Returns '' for bytes that are no UTF-8. They are not repaired, because they are no JSON. */
function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return '';
    throw error;
  }
}
