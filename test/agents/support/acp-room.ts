import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { agentKinds, loadExecutor } from '../../../src/agents/agents.ts';
import type { ToolCall } from '../../../src/domain/tool-calls/agent-event.ts';
import { allow, type Decision, toolScopeOf } from '../../../src/domain/tool-calls/tool-scope.ts';
import type { LaunchContext } from '../../../src/ports/executor.ts';
import { frozenPlan, plannedTask } from '../../support/plans.ts';
import { installed } from './installed.ts';

/** What ACP agents need to meet the scripted model. */
export const acpAgents: Readonly<Record<string, AcpAgent>> = {
  gemini: {
    pin: 'gemini',
    model: 'gemini-2.5-pro',
    environment: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'test-key' }),
  },
  'claude-agent-acp': {
    pin: 'claude-agent-acp',
    model: null,
    environment: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'test-key' }),
  },
  'codex-acp': {
    pin: 'codex-acp',
    model: 'gpt-5.5',
    environment: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'test-key' }),
  },
  'opencode-acp': {
    pin: 'opencode',
    model: 'openai/scripted-model',
    environment: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'test-key' }),
  },
};

export interface AcpAgent {
  readonly pin: string;
  readonly model: string | null;
  environment(url: string): Readonly<Record<string, string>>;
}

/** Denies what names `forbidden/`, and allows the rest. */
export const guard = ({ paths, command }: ToolCall): Decision =>
  [...paths, command ?? ''].some((text) => text.includes('forbidden/'))
    ? {
        decision: 'deny',
        because: { rule: 'outside-workspace', where: 'forbidden/', place: 'elsewhere', workspace: '' },
      }
    : allow;

/** Runs one agent alone with our executor, in a home and a repository of its own, and keeps what it printed. */
export async function acpAlone(
  name: string,
  {
    prompt,
    url,
    files = {},
  }: { readonly prompt: string; readonly url: string; readonly files?: Readonly<Record<string, string>> },
): Promise<{ readonly root: string; readonly stdout: string; readonly stderr: string; readonly code: number | null }> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), `tidegate-${name}-`)));
  const seat = seatIn(root, name, prompt, acpAgents[name]?.environment(url) ?? {});
  for (const [path, text] of Object.entries(files)) put(join(seat.workspace, path), text);
  const launch = (await loadExecutor('acp', seat.job.agent?.program ?? '')).prepare(seat);
  for (const [path, text] of Object.entries(launch.files)) put(join(seat.home, path), text);
  const [program = '', ...args] = launch.argv;
  const child = spawn(program, args, {
    cwd: seat.workspace,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: seat.home,
      TMPDIR: join(root, 'tmp'),
      LC_ALL: 'C.UTF-8',
      ...acpAgents[name]?.environment(url),
      ...launch.environment,
    },
    detached: true,
  });
  try {
    return { root, ...(await followed(child, seat)) };
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function followed(child: ChildProcess, seat: LaunchContext) {
  const { stdin, stdout, stderr } = child;
  const { follow } = await loadExecutor('acp', seat.job.agent?.program ?? '');
  if (stdin === null || stdout === null || stderr === null || follow === null) throw new Error('it has no pipes');
  const callbacks = {
    emit: () => undefined,
    decide: guard,
    write: (text: string) => void stdin.write(text),
    endInput: () => void stdin.end(),
  };
  const reader = follow(callbacks, seat);
  const kept = { out: '', error: '' };
  let rest = '';
  stdout.setEncoding('utf8').on('data', (chunk: string) => {
    kept.out += chunk;
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) reader.line(line);
  });
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    kept.error += chunk;
  });
  const limit = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), 120_000);
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  clearTimeout(limit);
  return { stdout: kept.out, stderr: kept.error, code };
}

function seatIn(
  root: string,
  name: string,
  prompt: string,
  environment: Readonly<Record<string, string>>,
): LaunchContext {
  const [home, workspace, tmp] = ['home', 'work', 'tmp'].map((part) => join(root, part)) as [string, string, string];
  for (const directory of [home, workspace, tmp]) mkdirSync(directory);
  execFileSync('git', ['init', '--quiet', '--initial-branch=main'], { cwd: workspace });
  const client = join(root, 'client');
  writeFileSync(client, '#!/bin/sh\nif grep -q forbidden/; then echo "forbidden/ is out of scope" >&2; exit 2; fi\n', {
    mode: 0o755,
  });
  const kind = agentKinds[name];
  const agent = acpAgents[name];
  if (kind === undefined || agent === undefined) throw new Error(`no ACP agent ${name}`);
  const task = plannedTask('task', {});
  const job = {
    agent: { ...kind, model: agent.model, scope: toolScopeOf(frozenPlan([[task]]), task, []) },
    fence: { network: 'on', read: [], write: [] },
  };
  return {
    job: job as unknown as LaunchContext['job'],
    program: installed(agent.pin).program ?? '',
    drives: kind.drives === undefined ? null : installed(kind.drives).program,
    prompt,
    client,
    workspace,
    variables: environment,
    home,
    session: null,
  };
}

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
