import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Script } from '../model-server/script.ts';
import { modelServer } from '../model-server/server.ts';
import { type AgentRoom, agentRoom, type Ended, type RunningAgent } from '../support/agent-room.ts';
import { type AgentName, installed } from '../support/installed.ts';
import type { Ask } from '../support/invocation.ts';
import { agentBench } from './bench.ts';
import { driverOf } from './drivers.ts';
import { bash, calling, done, handOff, write } from './scenes.ts';

/** What the executors are built around. A test that fails here means that a vendor has changed its ways: read the executor again. */
function hazardsOf(agent: AgentName, tests: () => void): void {
  const isMissing = installed(agent).program === null;
  describe.skipIf(isMissing)(isMissing ? `${agent} IS NOT INSTALLED` : agent, tests);
}

const forbidden: Script = { turns: [calling(write('forbidden/a.txt')), done] };
const refusing = { fault: 'unauthorized', times: 'always' } as const;

hazardsOf('claude', () => {
  test('calls a failed request a success, and only `is_error` and the exit code tell', async () => {
    await using stage = await alone('claude', { turns: [{ ...done, faults: [refusing] }] });
    const ended = await stage.run();
    expect({ code: ended.code, ...lastLine(ended) }).toMatchObject({ code: 1, subtype: 'success', is_error: true });
  });

  test('lets a call through when its hook crashes, unless told otherwise', async () => {
    const written = async (extra: object): Promise<boolean> => {
      await using stage = await alone('claude', forbidden);
      stage.room.write('../home/crashing.json', hooks('exit 1', extra));
      await stage.run({ args: ['--settings', join(stage.room.home, 'crashing.json')] });
      return existsSync(join(stage.room.work, 'forbidden/a.txt'));
    };
    expect([await written({}), await written({ onFailure: 'block' })]).toEqual([true, false]);
  });

  test('cannot be rid of our hook by settings of the project, nor of its own user', async () => {
    const off = JSON.stringify({ disableAllHooks: true, hooks: {}, permissions: { allow: ['Write'] } });
    await using bench = await agentBench(driverOf('claude'), {
      '.claude/settings.json': off,
      '.claude/settings.local.json': off,
    });
    const script = {
      turns: [calling(write('other.txt')), calling(bash('echo x > other.txt')), calling(handOff), done],
    };
    const { changed, exit } = await bench.run(script);
    expect({ changed, denials: exit.agent?.denials }).toEqual({ changed: [], denials: 2 });
  });

  test('lists the skills of the project to its model, and can read them in the fence', async () => {
    await using bench = await agentBench(driverOf('claude'), {
      '.claude/skills/tides/SKILL.md': '---\nname: tides\ndescription: When the tide turns\n---\n\nIt turns at 0815.\n',
    });
    const script = { turns: [calling(bash('cat .claude/skills/tides/SKILL.md')), calling(handOff), done] };
    const { told } = await bench.run(script);
    expect(told(0)).toContain('tides: When the tide turns');
    expect(told(1)).toContain('It turns at 0815.');
  });

  test('ends by SIGINT as if all were well', async () => {
    await using stage = await alone('claude', { turns: [{ ...done, faults: [{ fault: 'hang', after: 'nothing' }] }] });
    const running = stage.start();
    await stage.asked();
    running.signal('SIGINT');
    expect(await running.ended).toMatchObject({ code: 0, signal: null });
  });

  test('names the price of the whole session when it goes on with one', async () => {
    await using stage = await alone('claude', { turns: [done] });
    const first = lastLine(await stage.run());
    const second = lastLine(await stage.run({ session: String(first['session_id']) }));
    expect(Number(second['total_cost_usd'])).toBeCloseTo(2 * Number(first['total_cost_usd']), 6);
  });
});

hazardsOf('codex', () => {
  test('skips hooks that nobody has trusted, without a word', async () => {
    await using stage = await alone('codex', forbidden);
    stage.room.write('../home/.codex/hooks.json', hooks('echo no >&2; exit 2', {}));
    const ended = await stage.run();
    expect(existsSync(join(stage.room.work, 'forbidden/a.txt'))).toBe(true);
    expect(ended).toMatchObject({ code: 0 });
    expect(`${ended.stdout}${ended.stderr}`).not.toContain('hook');
  });

  test('says nothing in its stream of a call that was refused', async () => {
    await using stage = await alone('codex', forbidden);
    const ended = await stage.run({ guarded: true });
    expect(existsSync(join(stage.room.work, 'forbidden/a.txt'))).toBe(false);
    expect(ended.stdout).not.toContain('forbidden/a.txt');
    expect(ended.stderr).toContain('forbidden/a.txt');
  });

  test('counts the tokens of the whole session when it goes on with one', async () => {
    await using stage = await alone('codex', { turns: [done] });
    const first = await stage.run();
    const session = /"thread_id":"([^"]+)"/.exec(first.stdout)?.[1] ?? '';
    const second = await stage.run({ session });
    const tokens = (ended: Ended) => (lastLine(ended)['usage'] as { readonly output_tokens: number }).output_tokens;
    expect([tokens(first), tokens(second)]).toEqual([10, 20]);
  });
});

hazardsOf('opencode', () => {
  test('ends its turn, well, at the first thing that it would have to ask for', async () => {
    await using stage = await alone('opencode', { turns: [calling(bash('ls')), calling(write('src/a.txt')), done] });
    const ended = await stage.run({ env: { OPENCODE_PERMISSION: JSON.stringify({ bash: 'ask' }) } });
    expect(ended).toMatchObject({ code: 0 });
    expect(existsSync(join(stage.room.work, 'src/a.txt'))).toBe(false);
  });
});

interface Stage extends AsyncDisposable {
  readonly room: AgentRoom;
  /** The model has been asked for its first turn. */
  asked(): Promise<unknown>;
  start(ask?: Partial<Ask>): RunningAgent;
  run(ask?: Partial<Ask>): Promise<Ended>;
}

/** The program by itself, without Tidegate. */
async function alone(agent: AgentName, script: Script): Promise<Stage> {
  const stack = new AsyncDisposableStack();
  const server = stack.use(await modelServer({ scripts: { hazard: script } }));
  const room = stack.use(agentRoom(agent));
  const start = (ask: Partial<Ask> = {}) =>
    room.start({ prompt: '[[script:hazard]] Do the task.', url: server.urlOf('hazard'), ...ask });
  return {
    room,
    start,
    asked: () => server.waitFor('hazard', ({ side }) => !side),
    run: (ask) => start(ask).ended,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const hooks = (command: string, extra: object): string =>
  JSON.stringify({ hooks: { PreToolUse: [{ matcher: '.*', hooks: [{ type: 'command', command, ...extra }] }] } });

const lastLine = ({ stdout }: Ended): Readonly<Record<string, unknown>> =>
  JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Readonly<Record<string, unknown>>;
