import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { AgentReport } from '../../../src/domain/agents/agent-note.ts';
import { ended, type Project, project } from '../../support/project.ts';
import type { Call, Turn } from '../model-server/script.ts';
import { type ModelServer, modelServer } from '../model-server/server.ts';
import { installed } from './installed.ts';

/** One task of a plan, run by the real program in Tidegate's fence against the scripted model. Removed with the scope. */
export interface FencedRun extends AsyncDisposable {
  readonly server: ModelServer;
  readonly scene: Project;
  /** Its exit code, and what may explain it. */
  run(): Promise<{ readonly code: number | null; readonly told: string }>;
  /** What is known of the agent of each attempt. */
  reports(): Promise<readonly AgentReport[]>;
  /** Lines of its that we do not know. */
  unknown(): Promise<readonly string[]>;
  denials(): Promise<readonly { readonly tool: string; readonly rule: string }[]>;
}

export interface FencedAgent {
  /** The plan's name for it. */
  readonly agent: string;
  readonly model: string | null;
  /** Pinned programs that must be on the PATH, by the names that they have there. */
  readonly programs: Readonly<Record<string, string>>;
  /** The person's variables. */
  environment(url: string): Readonly<Record<string, string>>;
}

export const isInstalled = ({ programs }: FencedAgent): boolean =>
  Object.values(programs).every((pinned) => installed(pinned).program !== null);

export const handoff: Call = { tool: 'bash', command: 'tidegate handoff done -m "did it"' };
const rule = 'Project rule 4711.\n';
export const over: Turn = { text: 'All done.' };

export async function fencedRun(agent: FencedAgent, turns: readonly Turn[], keys: object = {}): Promise<FencedRun> {
  const name = 'work';
  const stack = new AsyncDisposableStack();
  const server = stack.use(await modelServer({ scripts: { [name]: { turns } } }));
  const task = { do: `[[script:${name}]] Do the task.`, owns: ['src/**'], ...keys };
  const scene = stack.use(
    await project({
      files: { 'src/there.txt': 'there\n', 'AGENTS.md': rule, 'CLAUDE.md': rule },
      plan: {
        land: 'auto',
        agent: agent.agent,
        limits: { minutes: 4, attempts: 1 },
        tasks: { work: { ...task, ...(agent.model === null ? {} : { model: agent.model }) } },
      },
      env: agent.environment(server.urlOf(name)),
    }),
  );
  const programs = join(scene.root, 'programs');
  mkdirSync(programs);
  for (const [found, pinned] of Object.entries(agent.programs)) {
    const { program } = installed(pinned);
    if (program === null) throw new Error(`${pinned} is not installed`);
    symlinkSync(program, join(programs, found));
  }
  const path = `${programs}${delimiter}${scene.environment.PATH}`;
  const seen = async () => (await scene.events()).map(({ event }) => event);
  return {
    server,
    scene,
    async run() {
      const run = await ended(scene.start(['run', 'plan.yaml', '--yes', '--json'], { PATH: path }));
      const tails = (await seen()).flatMap((event) =>
        event.type === 'attempt-ended'
          ? [readFileSync(join(scene.state().jobs, event.log.file), 'utf8').slice(-3000)]
          : [],
      );
      return { code: run.code, told: [run.stdout.slice(0, 400), run.stderr, ...tails].join('\n') };
    },
    async reports() {
      return (await seen()).flatMap((event) =>
        event.type === 'attempt-ended' && event.agent !== undefined ? [event.agent] : [],
      );
    },
    async unknown() {
      const attempts = (await seen()).flatMap((event) => (event.type === 'attempt-ended' ? [event.attempt] : []));
      return attempts
        .flatMap((id) => readFileSync(join(scene.state().job(id), 'transcript.jsonl'), 'utf8').split('\n'))
        .filter((line) => line.includes('"type":"unknown"'));
    },
    async denials() {
      return (await seen()).flatMap((event) =>
        event.type === 'attempt-noted' && event.note.note === 'denied'
          ? [{ tool: event.note.tool, rule: event.note.because.rule }]
          : [],
      );
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
