import { globSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { gateVersions } from '../src/domain/gates/versions.ts';
import type { ChainLink } from '../src/domain/ledger/chain.ts';
import { eventVersions } from '../src/domain/ledger/event-format.ts';
import { keptLedgers, keptStates } from './ledgers/stored-ledger.ts';
import { importClosure, runtimeSource } from './support/import-closure.ts';

/**
 * What was decided stays decided: a state follows from the events alone, whatever our sentences, limits and rules are by now.
 * The kept ledgers were written once (`npm run ledgers`); a change that makes them come to another state fails here.
 */
const ledgers = keptLedgers();
const folds = ['src/domain/run/run.ts', 'src/domain/repository/repository.ts', 'src/dcm/session.ts'];

describe('a fold', () => {
  test('can reach no sentence, no limit, no gate and no decision', () => {
    const reached = importClosure(...folds).map((file) => file.replace('src/domain/', ''));
    expect(reached).toEqual([
      'src/dcm/session.ts',
      'agents/provider.ts',
      'base/ids.ts',
      'base/result.ts',
      'base/sequence.ts',
      'board/board.ts',
      'decide/tap.ts',
      'dependencies/dependency.ts',
      'derived/derived-tasks.ts',
      'gates/verdict.ts',
      'kept/kept.ts',
      'landing/landing.ts',
      'landing/undo.ts',
      'ledger/dcm-events.ts',
      'ledger/events.ts',
      'orchestrator/orchestrator.ts',
      'plan/plan-versions.ts',
      'plan/plan.ts',
      'proofs/registry.ts',
      'repository/repository.ts',
      'run/bound-thread.ts',
      'run/evolve-task.ts',
      'run/new-run.ts',
      'run/round.ts',
      'run/run.ts',
      'run/task.ts',
      'tool-calls/agent-event.ts',
    ]);
  });

  test('produces no event', () => {
    const types = Object.keys(eventVersions).join('|');
    const made = importClosure(...folds).flatMap((file) =>
      [...runtimeSource(file).matchAll(new RegExp(`type: '(?:${types})'`, 'g'))].map(([found]) => `${file}: ${found}`),
    );
    expect(made).toEqual([]);
  });

  test('takes the event that it is given on to its parts, and no other', () => {
    const calls = importClosure(...folds).flatMap((file) =>
      [...runtimeSource(file).matchAll(/(?<!function )\bevolve[A-Z]\w*\(((?:[^()]|\([^()]*\))*)\)/g)].map(
        ([, args = '']) => `${file}: ${args.split(', ').at(-1)}`,
      ),
    );
    expect(calls.length).toBeGreaterThan(20);
    expect(calls.filter((call) => !/: (event|recorded|at|'')$/.test(call))).toEqual([]);
  });
});

/** Gates that judge nothing in the first kept ledgers. */
const unjudgedGates = ['plan', 'task', 'deliverables'];

describe('the kept ledgers', () => {
  afterEach(() => {
    for (const module of swapped.splice(0)) vi.doUnmock(module);
    vi.resetModules();
  });

  test('are the golden one with every type of event, an earlier one, and 60 runs', async () => {
    const { readVerified } = await import('./ledgers/stored-ledger.ts');
    const golden = readVerified(ledgers.get('golden') ?? []);
    const types = new Set(golden.map(({ event }) => event.type));
    expect(Object.keys(eventVersions).filter((type) => !types.has(type as keyof typeof eventVersions))).toEqual([]);
    expect(ledgers.size).toBe(62);
  });

  test('hold each type where it matters: its event leads to another state, unless it only tells', async () => {
    const { readVerified } = await import('./ledgers/stored-ledger.ts');
    const { evolveRun } = await import('../src/domain/run/run.ts');
    const { canonicalJson } = await import('../src/domain/plan/plan.ts');
    const golden = readVerified(ledgers.get('golden') ?? []).filter(({ stream }) => !stream.startsWith('external:'));
    const changing = new Set<string>();
    for (const [, events] of Map.groupBy(golden, ({ stream }) => stream)) {
      let state: ReturnType<typeof evolveRun> = null;
      for (const recorded of events) {
        const next = evolveRun(state, recorded);
        if (canonicalJson(next) !== canonicalJson(state)) changing.add(recorded.event.type);
        state = next;
      }
    }
    const idle = new Set(golden.map(({ event }) => event.type).filter((type) => !changing.has(type)));
    expect([...idle].toSorted()).toEqual([
      'coordinator-started',
      'coordinator-stopped',
      'culprit-found',
      'ledger-opened',
      'message-sent',
      'requested-run',
    ]);
  });

  test('come to the states that they came to when they were recorded, and are sound', async () => {
    const found = await readAll();
    expect(found.states).toEqual(keptStates());
    expect(found.differences).toEqual([]);
  });

  test('come to the same under other sentences and other limits', async () => {
    swapSentences();
    swapLimits();
    const found = await readAll();
    expect(found.seen).toEqual({ sentence: 'swapped', limit: expect.not.stringMatching(/^3$/) });
    expect(found.states).toEqual(keptStates());
    expect(found.differences).toEqual([]);
  });

  test.each(Object.keys(gateVersions))('list verdicts of an earlier %s gate as such, and stay sound', async (gate) => {
    raise({ gates: [gate] });
    const found = await readAll([...ledgers.keys()].slice(0, 4));
    expect(found.differences).toEqual([]);
    expect(found.earlier > 0).toBe(!unjudgedGates.includes(gate));
  });

  test('stay sound when every rule has another version', async () => {
    raise({ gates: Object.keys(gateVersions), all: true });
    const found = await readAll();
    expect(found.states).toEqual(keptStates());
    expect(found.differences).toEqual([]);
    expect(found.earlier).toBeGreaterThan(1_000);
  });
});

/** Reads the modules anew, as they are swapped by now. */
async function readAll(names: readonly string[] = [...ledgers.keys()]) {
  vi.resetModules();
  const [{ readVerified, stateHash }, { foldStreams }, { replayRun }, { replayDcmSession }, { explain }, { policy }] =
    await Promise.all([
      import('./ledgers/stored-ledger.ts'),
      import('./ledgers/fold-streams.ts'),
      import('../src/engine/replay.ts'),
      import('../src/dcm/replay.ts'),
      import('../src/domain/explain/explain.ts'),
      import('../src/domain/settings/policy.ts'),
    ]);
  const { isDcmStream, isRunStream, dcmSessionOf } = await import('../src/ports/ledger.ts');
  const states: Record<string, Record<string, string>> = {};
  const differences: string[] = [];
  let earlier = 0;
  for (const name of names) {
    const stored = readVerified((ledgers.get(name) ?? []) as readonly ChainLink[]);
    states[name] = Object.fromEntries(foldStreams(stored).map(([stream, text]) => [stream, stateHash(text)]));
    for (const [stream, events] of Map.groupBy(stored, (one) => one.stream)) {
      const replayed = isRunStream(stream)
        ? replayRun(events)
        : isDcmStream(stream)
          ? replayDcmSession(dcmSessionOf(stream), events)
          : null;
      differences.push(...(replayed?.differences ?? []).map(({ seq, detail }) => `${name} ${seq}: ${detail}`));
      earlier += replayed?.earlier.length ?? 0;
    }
  }
  const seen = { sentence: explain({ rule: 'plan-has-tasks' }).detail, limit: String(policy.freeLaunches) };
  return { states, differences, earlier, seen };
}

const swapped: string[] = [];
function swap(module: string, factory: Parameters<typeof vi.doMock>[1]): void {
  swapped.push(module);
  vi.doMock(module, factory);
}

/** Every entry of every table of sentences says something else. */
function swapSentences(): void {
  const tables = globSync('src/domain/explain/*/*-sentences.ts');
  expect(tables.length).toBeGreaterThan(10);
  for (const file of tables)
    swap(`../${file}`, async (original) =>
      Object.fromEntries(
        Object.entries((await original()) as Record<string, unknown>).map(([name, value]) => [
          name,
          name.endsWith('Sentences') ? everyRuleSays(value as object, 'swapped') : value,
        ]),
      ),
    );
}

const everyRuleSays = (table: object, text: string): object =>
  Object.fromEntries(Object.keys(table).map((rule) => [rule, () => text]));

/** Every limit of ours is another one, and every agent is of another provider. */
function swapLimits(): void {
  swap('../src/domain/settings/policy.ts', async (original) => {
    const { policy } = await original<typeof import('../src/domain/settings/policy.ts')>();
    return { policy: Object.fromEntries(Object.entries(policy).map(([name, limit]) => [name, limit > 1 ? 1 : 0.1])) };
  });
  swap('../src/agents/agents.ts', async (original) => {
    const agents = await original<typeof import('../src/agents/agents.ts')>();
    const kinds = Object.entries(agents.agentKinds).map(([name, kind]) => [name, { ...kind, provider: 'another' }]);
    return { ...agents, agentKinds: Object.fromEntries(kinds) };
  });
}

function raise({ gates, all = false }: { readonly gates: readonly string[]; readonly all?: boolean }): void {
  swap('../src/domain/gates/versions.ts', async (original) => {
    const versions = await original<typeof import('../src/domain/gates/versions.ts')>();
    const raised = (table: Readonly<Record<string, number>>, isRaised: (name: string) => boolean) =>
      Object.fromEntries(Object.entries(table).map(([name, version]) => [name, version + (isRaised(name) ? 1 : 0)]));
    return {
      gateVersions: raised(versions.gateVersions, (name) => gates.includes(name)),
      phaseVersions: raised(versions.phaseVersions, () => all),
      decisionVersions: raised(versions.decisionVersions, () => all),
    };
  });
}
