import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { alive, holder } from '../../test/contract/ledger-support.ts';
import { approved, begun, by, ended, hash, held, hello, run, started } from '../../test/support/run-events.ts';
import { openSqliteLedger } from '../adapters/ledger-sqlite/index.ts';
import { answer } from '../domain/answer.ts';
import type { RunEvent } from '../domain/events.ts';
import { err, ok } from '../domain/result.ts';
import { foldRun } from '../domain/run.ts';
import { stateDir } from '../domain/state-dir.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Terminal, Text } from '../ports/terminal.ts';
import { clean } from './clean.ts';
import type { CommandEntry, Register } from './command.ts';
import { conflicts } from './conflicts.ts';
import { approve, hold, reject } from './decide.ts';
import type { Desk, OpenDesk } from './desk.ts';
import { diff } from './diff.ts';
import { events } from './events.ts';
import { land, undo } from './land.ts';
import { logs } from './logs.ts';
import { pause, stop } from './mode.ts';
import { runProgram } from './program.ts';
import { rescue } from './rescue.ts';
import { drop, grant, retry, rework } from './resolve.ts';
import { run as runPlan } from './run.ts';
import { show } from './show.ts';
import { status } from './status.ts';
import { why } from './why.ts';

const atDesk: Record<string, (open: OpenDesk) => Register> = {
  run: runPlan,
  status,
  why,
  show,
  logs,
  diff,
  events,
  conflicts,
  rescue,
  clean,
  approve,
  reject,
  hold,
  grant,
  drop,
  retry,
  rework,
  pause,
  stop,
  land,
  undo,
};

/** A real ledger with these facts in it, and a coordinator that answers requests by the very rule of the real one, or none. */
async function scene(
  facts: readonly RunEvent[],
  how: { readonly agent?: string; readonly deaf?: boolean; readonly alone?: boolean } = {},
) {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-cli-'));
  const ledger = await openSqliteLedger(join(directory, 'ledger.db'));
  const taken = await ledger.takeEpoch(holder(1), alive);
  if (taken.outcome !== 'taken') throw new Error('the ledger is new');
  if (facts.length > 0) await ledger.append(run, 0, facts, taken.epoch);
  const desk: Desk = {
    ledger,
    git: {
      toplevel: async () => directory,
      rootCommit: () => Promise.reject(new Error('not asked')),
      remote: async () => null,
      branchTip: async () => null,
      runBranchTip: async () => null,
      currentBranch: async () => 'main',
      files: async () => [],
      diff: async () => [],
    },
    state: stateDir(directory),
    checkout: directory,
    caller: { agent: how.agent ?? null, mayDecide: how.agent === undefined, by },
    clock: { now: () => '2026-01-01T12:00:00.000Z', sleep: async () => undefined, nonce: () => '00112233' },
    files: {
      readLog: async (_, from) => ({ text: from === 0 ? 'line \x1b[31mone\nline two' : '', next: 17 }),
      lfsBytes: async () => 0,
      removeLfs: () => Promise.reject(new Error('nothing may be removed')),
    },
    disk: {
      holdings: async () => [
        { kind: 'workspace', id: `${run}.hello.1`, bytes: 2_500_000, usedAt: 0, over: true },
        { kind: 'workspace', id: `${run}.check.${'e'.repeat(16)}.0.1`, bytes: 1_000, usedAt: 0, over: false },
        { kind: 'product', id: 'a', bytes: 9_000, usedAt: 0 },
      ],
      remove: () => Promise.reject(new Error('nothing may be removed')),
    },
    patches: { text: async () => '+x\n', snapshots: async () => [] },
    readPlan: async () => err('there is no plan'),
    rereadPlan: async () => err('there is no plan'),
    fence: async () => ok('bubblewrap'),
    host: () => Promise.reject(new Error('not asked')),
    patienceMs: 1_000,
    isCoordinated: async () => how.alone !== true,
    ensureCoordinator: async () => {
      if (how.deaf !== true && how.alone !== true) await answerPending(ledger, taken.epoch);
      return how.alone !== true;
    },
    openRunDirectory: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const tidegate = async (...argv: string[]) => {
    const out: string[] = [];
    const problems: string[] = [];
    const documents: unknown[] = [];
    const exit = await runProgram(argv, {
      commands: Object.entries(atDesk).map(([name, make]): CommandEntry => {
        const load = async () => make(async () => ok(desk));
        return { name, usage: '', summary: name, group: 'run', load };
      }),
      open: ({ json }) => ({
        terminal: recording(out, problems, documents),
        json,
        cwd: directory,
        stateRoot: null,
        env: {},
        version: '0',
        readerGone: new AbortController().signal,
        onSignal: () => ({ [Symbol.dispose]: () => undefined }),
      }),
    });
    return { exit, out: out.join('\n'), problems, document: documents.at(-1) as Record<string, unknown> };
  };
  return {
    ledger,
    tidegate,
    requests: async () => (await ledger.read(run)).filter(({ epoch }) => epoch === 0).map(({ event }) => event),
    async [Symbol.asyncDispose]() {
      await ledger[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function answerPending(ledger: Ledger, epoch: number): Promise<void> {
  const stored = await ledger.read(run);
  const state = foldRun(stored);
  for (const { seq, request } of state?.pending ?? []) {
    const decided = state === null ? err('no run') : answer(state, request);
    const events: RunEvent[] = decided.ok
      ? [...(decided.value === 'later' ? [] : decided.value), { type: 'request-accepted', request: seq }]
      : [{ type: 'request-refused', request: seq, why: decided.error }];
    await ledger.append(run, stored.length, events, epoch);
  }
}

const plain = (text: Text): string =>
  typeof text === 'string' ? text : text.map((part) => (typeof part === 'string' ? part : part.text)).join('');
const recording = (out: string[], problems: string[], documents: unknown[]): Terminal => ({
  interactive: false,
  line: (text = '') => out.push(plain(text)),
  problem: (text) => problems.push(plain(text)),
  json: (document) => documents.push(document),
  region: () => ({ draw() {}, close() {}, [Symbol.dispose]() {} }),
  ask: async () => null,
});

const working = [...begun(), ...approved, ...started];
const stuck = [...working, ended, held];

test.each([
  ['status', 'nowhere'],
  ['status', '../../etc'],
  ['why', 'checkout-k3f9/nothing'],
  ['show', 'checkout/../../x'],
  ['logs', 'nowhere/hello'],
  ['logs', 'hello', '--attempt', '7'],
  ['logs', '--check', 'lint'],
  ['logs', '--generated'],
  ['diff', 'x/y/z'],
  ['approve', 'nowhere'],
  ['approve', 'checkout-k3f9/hello'],
  ['approve', '--plan', 'ffffffffff'],
  ['grant', 'hello'],
  ['grant', 'hello', '../outside'],
  ['grant', 'hello', '/etc/passwd'],
  ['drop'],
  ['retry', 'nothing'],
  ['rework', 'hello'],
  ['rework', 'hello', '-m', '  '],
  ['undo', '..'],
  ['run', '--wave', 'two'],
  ['run'],
  ['status', '--nonsense'],
])('tidegate %s %s %s %s: one clear line, exit 2, nothing asked for', async (...argv) => {
  await using here = await scene(stuck);
  const { exit, problems } = await here.tidegate(...argv);
  expect(exit).toBe(2);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^tidegate: [^\n]+$/);
  expect(await here.requests()).toEqual([]);
});

test('without any run status is calm and the rest says that there is none', async () => {
  await using here = await scene([]);
  expect(await here.tidegate('status')).toMatchObject({ exit: 0, out: 'No run yet. Begin with: tidegate run' });
  expect(await here.tidegate('approve')).toMatchObject({
    exit: 2,
    problems: ['tidegate: approve: there is no run here yet; begin with tidegate run'],
  });
});

test('an approval is bound to the plan hash and recorded with who gave it', async () => {
  await using here = await scene(begun());
  const { exit, out } = await here.tidegate('approve', 'check', '--plan', '4f5517b720bb');
  expect({ exit, out }).toEqual({
    exit: 0,
    out: 'Approved checkout-k3f9 (plan 4f5517b720bb, fence: bubblewrap). Follow it: tidegate watch checkout-k3f9',
  });
  expect(await here.requests()).toEqual([{ type: 'requested-approve', tap: 'start', hash, by }]);
  expect(await here.tidegate('approve')).toMatchObject({ exit: 1 });
});

test.each([['approve'], ['reject'], ['hold'], ['grant', 'hello', 'x.md'], ['drop', 'hello'], ['land'], ['undo']])(
  'an agent may not %s, and is told who may',
  async (...argv) => {
    await using here = await scene(stuck, { agent: 'claude-code' });
    const { exit, document } = await here.tidegate(...argv, '--json');
    expect(exit).toBe(43);
    expect(document).toMatchObject({ exit: 43, reason: 'caller-is-agent', needs: [{ kind: 'person' }] });
    expect(await here.requests()).toEqual([]);
  },
);

test.each([
  [['retry', 'hello'], { type: 'requested-retry', task: hello, by }],
  [['rework', 'he', '-m', 'mend it'], { type: 'requested-rework', task: hello, message: 'mend it', by }],
  [['drop', 'checkout-k3f9/hello'], { type: 'requested-drop', task: hello, paths: [], by }],
  [['drop', 'hello', 'x.md'], { type: 'requested-drop', task: hello, paths: ['x.md'], by }],
  [['pause'], { type: 'requested-pause', by }],
  [['stop'], { type: 'requested-stop', by }],
])('tidegate %j is one request', async (argv, request) => {
  await using here = await scene(stuck);
  expect(await here.tidegate(...argv)).toMatchObject({ exit: 0, problems: [] });
  expect(await here.requests()).toEqual([request]);
});

test('what would be refused is refused at once and leaves no request', async () => {
  await using here = await scene(working);
  expect(await here.tidegate('retry', 'hello')).toMatchObject({
    exit: 1,
    problems: ['tidegate: refused: only a held, failed or dropped task can be retried; it is running'],
  });
  expect(await here.requests()).toEqual([]);
});

test('a coordinator that cannot be started is exit 32 and one line; the request stays', async () => {
  await using here = await scene(stuck, { alone: true });
  const { exit, problems } = await here.tidegate('pause');
  expect({ exit, lines: problems.length }).toEqual({ exit: 32, lines: 1 });
  expect(await here.requests()).toHaveLength(1);
});

test('a coordinator that lives and keeps silent is exit 32 when patience ends', async () => {
  await using here = await scene(stuck, { deaf: true });
  expect((await here.tidegate('pause')).exit).toBe(32);
});

test('--json is one document with schema, exit, reason and needs', async () => {
  await using here = await scene(stuck);
  const { document, out } = await here.tidegate('status', '--json');
  expect(out).toBe('');
  expect(document).toMatchObject({
    schema: 'tidegate.status/1',
    exit: 0,
    reason: 'done',
    run,
    fence: 'bwrap',
    needs: [{ kind: 'held', task: 'hello' }],
  });
});

test('diff says of each file whose it is; events and clean only look', async () => {
  await using here = await scene(stuck);
  expect((await here.tidegate('diff', '--stat')).out).toContain('added    x.md');
  expect((await here.tidegate('diff', '--stat')).out).not.toContain('its own\n');
  expect((await here.tidegate('events')).out.split('\n')).toHaveLength(stuck.length);
  expect((await here.tidegate('clean')).out).toContain('keep      2.5 MB  checkout-k3f9.hello.1: held');
  expect((await here.tidegate('conflicts')).out).toBe('Nothing of checkout-k3f9 conflicts.');
});
