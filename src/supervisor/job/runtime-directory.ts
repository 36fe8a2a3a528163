import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bind, fencedRuntime, relaySocket } from '../../adapters/fence/index.ts';
import type { Job } from '../../ports/supervisor.ts';

/** Sockets and what the agent finds of us. Short names: a socket's path must stay below 108 bytes. */
export type RuntimeDirectory = {
  readonly path: string;
  /** Ours alone, never in the fence. */
  readonly controlSocket: string;
  readonly clientSocket: string;
  /** The socket of the relay, in a fence with a list of hosts. */
  readonly relaySocket: string;
  readonly brief: string;
  readonly bin: string;
  /** The file that is bound over an agent's own settings. */
  readonly settings: string;
  readonly binds: readonly Bind[];
  remove(): void;
};

export function makeRuntimeDirectory(
  job: Pick<Job, 'id' | 'brief' | 'fence' | 'runDirectory'>,
  program: { readonly node: string; readonly client: string },
): RuntimeDirectory {
  mkdirSync(job.runDirectory, { recursive: true, mode: 0o700 });
  const name = createHash('sha256').update(job.id).digest('hex').slice(0, 8);
  const path = mkdtempSync(join(job.runDirectory, `${name}-`));
  const inside = join(path, 'f');
  const bin = join(inside, 'bin');
  mkdirSync(bin, { recursive: true, mode: 0o755 });
  const brief = join(inside, 'brief.md');
  writeFileSync(brief, job.brief, { mode: 0o644 });
  copyFileSync(program.client, join(inside, 'client.mjs'));
  // Mount points: node itself and the agent's home are bound over them.
  writeFileSync(join(inside, 'node'), '');
  mkdirSync(join(inside, 'home'), { mode: 0o755 });
  const settings = join(path, 'settings');
  mkdirSync(settings, { mode: 0o755 });
  const root = job.fence.mode === 'none' ? inside : fencedRuntime;
  const node = job.fence.mode === 'none' ? program.node : `${fencedRuntime}/node`;
  writeFileSync(join(bin, 'tidegate'), clientScript(`'${node}' '${root}/client.mjs'`), { mode: 0o755 });
  return {
    path,
    controlSocket: join(path, 'c.sock'),
    clientSocket: join(inside, 's'),
    relaySocket: join(inside, relaySocket),
    brief,
    bin,
    settings,
    binds: [
      { source: inside, target: fencedRuntime, access: 'read' },
      { source: program.node, target: `${fencedRuntime}/node`, access: 'read' },
    ],
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/**
 * An agent keeps `tidegate mcp` for as long as it lives: the client only has the line opened, and is gone. What answers is opened
 * first, because the line ends when what asks is closed; it is the process that the agent knows, so that the supervisor can end it.
 */
export const clientScript = (client: string): string => `#!/bin/sh
if [ "$*" = mcp ]; then
  line=$(${client} mcp-line </dev/null) || exit 1
  exec 3<"$line.out" 4<&0
  cat <&4 3<&- 4<&- >"$line.in" &
  exec cat <&3 3<&- 4<&-
fi
exec ${client} "$@"
`;
