import { existsSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ModelServer, modelServer } from '../model-server/server.ts';
import { type AgentRoom, agentRoom, type Ended } from './agent-room.ts';
import { type Case, cases } from './cases.ts';
import { type AgentName, installed } from './installed.ts';
import { shapeOf } from './shape.ts';

/** The ground under the executors: the real program, by itself, does what the scripted model says. */
export function describeAlone(agent: AgentName): void {
  const { program, version } = installed(agent);

  describe.skipIf(program === null)(`${agent} ${version}${program === null ? ' IS NOT INSTALLED' : ''}`, () => {
    test('has no way out of its network namespace', () => {
      expect(Object.keys(networkInterfaces())).toEqual(['lo']);
    });

    test('reads the project, writes, runs, edits and reads by its own tools, and ends', async () => {
      await using scene = await staged(agent, 'normal');
      for (const file of ['CLAUDE.md', 'AGENTS.md', 'GEMINI.md']) scene.room.write(file, 'Project rule 4711.\n');
      const ended = await scene.run();

      expect(ended).toMatchObject({ code: 0, signal: null });
      expect(scene.read('src/hello.txt')).toBe('hello there\n');
      expect(scene.read('ran.txt')).toBe('ran\n');
      expect(scene.turns()).toEqual(['0', '1', '2', '3', '4']);
      expect(scene.told(0)).toContain('Project rule 4711.');
      expect(shapeOf(agent, ended.stdout)).toEqual(shapeOf(agent, transcript(agent, 'normal')));
    });

    test('waits out a rate limit and goes on', async () => {
      await using scene = await staged(agent, 'rate-limited');
      const ended = await scene.run();

      expect(ended).toMatchObject({ code: 0, signal: null });
      expect(scene.read('src/hello.txt')).toBe('hello\n');
      expect(scene.turns()).toEqual(['0', '1', '1 again']);
    });

    test('is refused what is out of scope, tells the model why, and goes on', async () => {
      await using scene = await staged(agent, 'denied');
      const ended = await scene.run();

      expect(ended).toMatchObject({ code: 0, signal: null });
      expect(existsSync(join(scene.room.work, 'forbidden'))).toBe(false);
      expect(scene.read('src/hello.txt')).toBe('hello\n');
      expect(scene.told(1)).toContain(
        agent === 'opencode' ? 'a rule which prevents you' : 'forbidden/ is out of scope',
      );
      expect(shapeOf(agent, ended.stdout)).toEqual(shapeOf(agent, transcript(agent, 'denied')));
    });

    test('sees a redirect at the end of a list of commands, but for opencode', async () => {
      await using scene = await staged(agent, 'denied-redirect');
      const ended = await scene.run();

      expect(ended).toMatchObject({ code: 0, signal: null });
      expect(existsSync(join(scene.room.work, 'forbidden/b.txt'))).toBe(agent === 'opencode');
    });

    test('continues its own session', async () => {
      await using scene = await staged(agent, 'rate-limited');
      const session = sessionIn(await scene.run());
      scene.server.play('later', { turns: [{ text: 'Still here.' }] });
      const url = scene.server.urlOf('later');
      const ended = await scene.room.start({ prompt: '[[script:later]] And now?', url, session }).ended;

      expect(ended).toMatchObject({ code: 0, signal: null });
      expect(ended.stdout).toContain('Still');
      expect(JSON.stringify(scene.server.requests('later'))).toContain('src/hello.txt');
    });

    test('ends when it is told to while the model is silent', async () => {
      await using scene = await staged(agent, 'silent');
      const running = scene.start();
      await scene.server.waitFor('silent', ({ turn, side }) => turn === 1 && !side);
      running.signal('SIGTERM');
      const ended = await running.ended;

      expect({ code: ended.code, signal: ended.signal }).toEqual(terminated[agent]);
      expect(ended.stdout).not.toMatch(/"type":"(result|turn\.completed)"|"reason":"stop"/);
    });
  });
}

/** How each one ends by SIGTERM. Gemini's 0 is no success: the event that tells of one is missing. */
const terminated: Readonly<Record<AgentName, Pick<Ended, 'code' | 'signal'>>> = {
  claude: { code: 143, signal: null },
  codex: { code: null, signal: 'SIGTERM' },
  opencode: { code: null, signal: 'SIGTERM' },
  gemini: { code: 0, signal: null },
};

interface Scene extends AsyncDisposable {
  readonly room: AgentRoom;
  readonly server: ModelServer;
  start(): ReturnType<AgentRoom['start']>;
  run(): Promise<Ended>;
  read(path: string): string;
  /** All that the model was sent when it was asked for a turn. */
  told(turn: number): string;
  /** The turns that were asked for, in order. */
  turns(): readonly string[];
}

async function staged(agent: AgentName, name: string): Promise<Scene> {
  const scene: Case | undefined = cases[name];
  if (scene === undefined) throw new Error(`no case ${name}`);
  const stack = new AsyncDisposableStack();
  const server = stack.use(await modelServer({ scripts: { [name]: scene } }));
  const room = stack.use(agentRoom(agent));
  for (const [path, content] of Object.entries(scene.files ?? {})) room.write(path, content);
  const asked = () => server.requests(name).filter(({ side }) => !side);
  const start = () => room.start({ prompt: `[[script:${name}]] Do the task.`, url: server.urlOf(name), ...scene.ask });
  return {
    room,
    server,
    start,
    run: () => start().ended,
    read: (path) => readFileSync(join(room.work, path), 'utf8'),
    told: (turn) => JSON.stringify(asked().find((request) => request.turn === turn)?.body),
    turns: () => asked().map(({ turn, attempt }) => `${turn}${attempt > 0 ? ' again' : ''}`),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const transcript = (agent: AgentName, name: string) =>
  readFileSync(join(import.meta.dirname, '../transcripts', agent, `${name}.jsonl`), 'utf8');

function sessionIn({ stdout }: Ended): string {
  const found = /"(?:session_id|thread_id|sessionID)":"([^"]+)"/.exec(stdout)?.[1];
  if (found === undefined) throw new Error('the agent named no session');
  return found;
}
