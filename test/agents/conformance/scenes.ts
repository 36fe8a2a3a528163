import type { ModelRequest } from '../model-server/request-log.ts';
import type { Call, Fault, Script, Turn } from '../model-server/script.ts';
import { type Attempt, agentBench, type Bench, type Wanted } from './bench.ts';
import type { Driver } from './drivers.ts';
import { seats } from './seats.ts';

export const handOff: Call = { tool: 'bash', command: 'tidegate handoff done -m "did it"' };
export const done: Turn = { text: 'All done.' };
export const write = (path: string, content = 'x\n'): Call => ({ tool: 'write', path, content });
export const bash = (command: string): Call => ({ tool: 'bash', command });
export const calling = (...calls: readonly Call[]): Turn => ({ calls });

export const rule = 'Project rule 4711: be brief.';
const perTurn = { input: 1_000, output: 20 };

/** The turns of `work`, by what is tried in them. */
export const tried = { inScope: 0, byTool: 1, byShell: 2, byPath: 3, ofSettings: 4, handOff: 5, last: 6 } as const;

const workFor = (checkout: string, settings: string): Script => ({
  turns: [
    calling(write('src/new.txt', 'new\n')),
    calling(write('other/by-tool.txt')),
    calling(bash('echo x > by-shell.txt')),
    calling(write(`${checkout}/by-path.txt`)),
    calling(write(settings)),
    calling(handOff),
    done,
  ].map((turn) => ({ ...turn, usage: perTurn })),
});

type Files = Readonly<Record<string, string>>;

/** Runs that several behaviours are read from, each made once for an agent. */
export function scenesOf(driver: Driver) {
  const room = seats(seatsOfSuite);
  /** A bench that is the only one of its seat, until the scope ends or `rest` is called. */
  const seated = async (files: Files = {}, willWait = false): Promise<Bench & { rest(): void }> => {
    const stack = new AsyncDisposableStack();
    const rest = stack.adopt(await room.take(willWait), (giveBack) => giveBack());
    const bench = stack.use(await agentBench(driver, files));
    return { ...bench, rest, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  };
  const alone = (script: Script, wanted: Wanted = {}, waitsFrom?: number) =>
    once(async (): Promise<Attempt> => {
      await using bench = await seated({}, waitsFrom !== undefined);
      const { name, ended } = bench.start(script, wanted);
      if (waitsFrom !== undefined) void bench.server.waitFor(name, asksFor(waitsFrom)).then(bench.rest);
      return await ended;
    });
  const failing = (fault: Fault, wanted: Wanted = {}) =>
    alone({ turns: [calling(write('src/new.txt')), { ...calling(handOff), faults: [fault] }, done] }, wanted, 1);
  return {
    seated,
    work: once(async () => {
      const settings = '.claude/settings.json';
      await using bench = await seated({ [driver.instructions]: `${rule}\n` });
      const attempt = await bench.run(workFor(bench.scene.repo.path, settings));
      return { ...attempt, checkout: bench.scene.repo.git('status', '--porcelain') };
    }),
    garrulous: alone(
      { turns: [calling(write('src/new.txt'), handOff), done] },
      { garrule: ['{"type":"news","of":"tomorrow"}', 'not even JSON'] },
    ),
    rateLimitedOnce: failing({ fault: 'rate-limited', retryAfter: 1 }),
    rateLimited: failing(
      { fault: 'rate-limited', resetAt: reset, times: 'always' },
      { key: driver.subscription ?? driver.key },
    ),
    unauthorized: failing({ fault: 'unauthorized', times: 'always' }),
    overloaded: failing({ fault: 'overloaded', retryAfter: 1, times: 'always' }),
    dropped: failing({ fault: 'dropped', times: 'always' }),
    droppedOnce: failing({ fault: 'dropped' }),
    silent: alone(
      {
        turns: [
          calling(write('src/new.txt')),
          { ...done, faults: [{ fault: 'hang', after: 'nothing', times: 'always' }] },
        ],
      },
      { job: { silence: driver.patience / 60 } },
      1,
    ),
    longTool: alone(
      { turns: [calling(bash(`sleep ${driver.patience + 3} && echo slept > src/slept.txt`)), calling(handOff), done] },
      { job: { silence: driver.patience / 60 } },
      0,
    ),
    turnLimit: alone(
      { turns: [...[1, 2, 3, 4].map((turn) => calling(write(`src/${turn}.txt`))), calling(handOff), done] },
      { agent: { turns: 2 } },
    ),
    idle: alone({ turns: [{ text: 'I have done everything perfectly.' }, { text: 'Really.' }] }),
  };
}

/** More of them, and all start so slowly that they are taken for silent. */
const seatsOfSuite = 2;

/** Told by an agent's own request for that turn. */
export const asksFor =
  (wanted: number) =>
  ({ turn, side }: ModelRequest): boolean =>
    turn === wanted && !side;

export type Scenes = ReturnType<typeof scenesOf>;

/** A day and an hour from now, on a whole minute: some name no seconds. */
export const reset = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 25 * 3_600_000).toISOString();

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}
