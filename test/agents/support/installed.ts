import { execFileSync } from 'node:child_process';
import { z } from 'zod';

export const agentNames = ['claude', 'codex', 'opencode', 'gemini'] as const;
export type AgentName = (typeof agentNames)[number];

const listed = z.record(
  z.string(),
  z.object({ version: z.string(), program: z.string().nullable(), directory: z.string() }),
);
export type Installed = z.infer<typeof listed>[string];

let known: z.infer<typeof listed> | null = null;

/** Version and program of a pinned agent, ACP adapters included; `program` is null when it could not be installed. */
export function installed(name: string): Installed {
  known ??= listed.parse(JSON.parse(execFileSync('node', ['scripts/agents.mjs', 'list'], { encoding: 'utf8' })));
  const found = known[name];
  if (found === undefined) throw new Error(`no agent is pinned as ${name}`);
  return found;
}
