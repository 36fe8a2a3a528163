import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import { commandList } from '../../src/cli/commands/list.ts';
import type { Ports } from '../../src/cli/frame/ports.ts';
import { runProgram } from '../../src/cli/frame/program.ts';
import { err, ok } from '../../src/domain/base/result.ts';
import { answer } from '../../src/domain/decide/answer.ts';
import type { RunEvent } from '../../src/domain/ledger/events.ts';
import { stateDir } from '../../src/domain/ledger/state-dir.ts';
import { foldRun } from '../../src/domain/run/run.ts';
import { defaultSettings } from '../../src/domain/settings/settings.ts';
import type { Ledger } from '../../src/ports/ledger.ts';
import type { RepositoryHandle } from '../../src/ports/repository-handle.ts';
import type { Terminal, Text } from '../../src/ports/terminal.ts';
import { alive, holder } from '../contract/ledger-support.ts';
import { approved, begun, by, ended, held, run, started } from './run-events.ts';

/** A real ledger with these facts in it, and a coordinator that answers requests by the very rule of the real one, or none. */
export async function commandScene(
  facts: readonly RunEvent[],
  how: {
    readonly agent?: string;
    readonly deaf?: boolean;
    readonly alone?: boolean;
    readonly transcript?: string;
    readonly prompts?: Readonly<Record<string, string>>;
  } = {},
) {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-cli-'));
  const ledger = await openSqliteLedger(join(directory, 'ledger.db'));
  const taken = await ledger.takeEpoch(holder(1), alive);
  if (taken.outcome !== 'taken') throw new Error('the ledger is new');
  if (facts.length > 0) await ledger.append(run, 0, facts, taken.epoch);
  const repo: RepositoryHandle = {
    ledger,
    git: {
      toplevel: async () => directory,
      rootCommit: () => Promise.reject(new Error('not asked')),
      remotes: async () => [],
      isAncestor: async () => false,
      branchTip: async () => null,
      runBranchTip: async () => null,
      currentBranch: async () => 'main',
      files: async () => ({ total: 0, files: [] }),
      diff: async () => [],
    },
    state: stateDir(directory),
    checkout: directory,
    caller: { agent: how.agent ?? null, mayDecide: how.agent === undefined, by },
    clock: { now: () => '2026-01-01T12:00:00.000Z', sleep: async () => undefined, nonce: () => '00112233' },
    files: {
      readLog: async (_, from) => ({ text: from === 0 ? 'line \x1b[31mone\nline two' : '', next: 17 }),
      readTranscript: async (_, from) => {
        const text = (how.transcript ?? '').slice(from);
        return { text, next: from + text.length };
      },
      content: async () => null,
      readPrompt: async (job) => how.prompts?.[job] ?? null,
      readCopied: async () => null,
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
    patches: { text: async () => '+x\n', counts: async () => [], log: async () => [], snapshots: async () => [] },
    readPlan: async () => err('there is no plan'),
    rereadPlan: async () => err('there is no plan'),
    settings: async () => defaultSettings,
    isAuthorKnown: async () => true,
    fence: async () => ok('bubblewrap'),
    host: () => Promise.reject(new Error('not asked')),
    patienceMs: 1_000,
    isCoordinated: async () => how.alone !== true,
    stoppedCoordinator: async () => null,
    ensureCoordinator: async () => {
      if (how.deaf !== true && how.alone !== true) await answerPending(ledger, taken.epoch);
      return how.alone !== true;
    },
    edit: async () => null,
    checkoutState: async () => ({ branch: 'main', changed: [], untracked: [], ignored: [] }),
    secretsIn: async () => [],
    trySigning: async () => null,
    damagedProofs: async () => [],
    keepProof: async (_, __, file) => ok({ kind: 'file', name: file, sha256: '0'.repeat(64), bytes: 1 }),
    agentReady: async () => ({ ready: true }),
    openRunDirectory: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const tidegate = async (...argv: string[]) => {
    const out: string[] = [];
    const problems: string[] = [];
    const documents: unknown[] = [];
    const exit = await runProgram(argv, {
      commands: commandList,
      ports: portsOf(repo),
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
    return { exit, out: out.join('\n'), problems, document: documents.at(-1) as Record<string, unknown>, documents };
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

/** Only the ports of commands that work at a repo. */
function portsOf(repo: RepositoryHandle): Ports {
  const notAsked = () => Promise.reject(new Error('not asked'));
  return {
    openRepository: async () => ok(repo),
    readComments: async () => ok('from a file\n'),
    diffPrograms: async () => ({ page: async () => false, difftool: async () => 0 }),
    ...{ readPlan: notAsked, draftText: notAsked, enterShell: notAsked, makeDemo: notAsked, caller: notAsked },
    ...{ examinations: notAsked, init: notAsked, auth: notAsked, config: notAsked, planFiles: notAsked },
    ...{ openPrograms: notAsked, editPrograms: notAsked, serve: notAsked },
  };
}

async function answerPending(ledger: Ledger, epoch: number): Promise<void> {
  const stored = await ledger.read(run);
  const state = foldRun(stored);
  for (const { seq, request } of state?.pending ?? []) {
    const decided = state === null ? err({ rule: 'run-unknown' } as const) : answer(state, request);
    const events: RunEvent[] = decided.ok
      ? [...(decided.value === 'later' ? [] : decided.value), { type: 'request-accepted', request: seq }]
      : [{ type: 'request-refused', request: seq, because: decided.error }];
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
  paint: () => '',
  region: async () => ({ draw() {}, close() {}, [Symbol.dispose]() {} }),
  screen: async () => null,
  ask: async () => null,
  askSecret: async () => null,
});

export const working = [...begun(), ...approved, ...started];
export const stuck = [...working, ended, ...held];
