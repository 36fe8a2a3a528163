import { describe, expect, test } from 'vitest';
import { decisionVersions } from '../domain/gates/versions.ts';
import type { DcmEvent } from '../domain/ledger/dcm-events.ts';
import { policy } from '../domain/settings/policy.ts';
import { decideDcm } from './decide.ts';
import { foldDcmSession, subtaskOf } from './session.ts';

const { session: version } = decisionVersions;
const by = { who: 'Ada', via: 'api' } as const;
const usedKey = (key: string, forgets?: string): DcmEvent => ({
  ...{ type: 'external-key-used', key, asked: `asked ${key}`, version },
  ...(forgets === undefined ? {} : { forgets }),
});
const foldOf = (events: readonly DcmEvent[]) =>
  foldDcmSession(
    's',
    events.map((event) => ({ at: '', event })),
  );
const keysAfter = (...events: readonly DcmEvent[]) => foldOf(events).keys.map(({ key }) => key);
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `k${at}`);

describe('the keys of a session', () => {
  test('are those that its events tell, however many a session may keep by now', () => {
    const many = numbered(policy.sessionKeys + 5);
    expect(keysAfter(...many.map((key) => usedKey(key)))).toEqual(many);
    expect(keysAfter(usedKey('a'), usedKey('b'), usedKey('c', 'a'))).toEqual(['b', 'c']);
    expect(keysAfter(usedKey('a'), usedKey('b', 'never there'))).toEqual(['a', 'b']);
  });

  test('are forgotten by a decision, the oldest first, once there are too many', () => {
    const create = { type: 'create-wave', wave: 0, name: null, description: null } as const;
    const lastAfter = (count: number) => {
      const state = foldOf(numbered(count).map((key) => usedKey(key)));
      const decided = decideDcm(state, { command: create, key: 'next', by });
      return decided.ok ? decided.value.at(-1) : decided.error;
    };
    expect(lastAfter(policy.sessionKeys - 1)).toEqual({
      ...{ type: 'external-key-used', key: 'next', asked: expect.any(String), version },
    });
    expect(lastAfter(policy.sessionKeys)).toMatchObject({ key: 'next', forgets: 'k0' });
  });

  test('that were forgotten may be used again for something else', () => {
    const create = (wave: number) => ({ type: 'create-wave', wave, name: null, description: null }) as const;
    const ask = (past: readonly DcmEvent[], wave: number, key: string) =>
      decideDcm(foldOf(past), { command: create(wave), key, by });
    const full = numbered(policy.sessionKeys).map((key) => usedKey(key));
    expect(ask(full, 0, 'k0')).toMatchObject({ ok: false, error: { rule: 'session-key-reused' } });
    const next = ask(full, 0, 'next');
    expect(ask([...full, ...(next.ok ? next.value : [])], 1, 'k0')).toMatchObject({ ok: true });
  });
});

test('the version of the rules is of the fact, not of the subtask that it changes', () => {
  const subtask = {
    ...{ id: 'a', taskId: 'a', agentType: 'x', agentId: null, description: 'd', priority: 5 },
    ...{ blockedBy: [], context: null },
  };
  const state = foldOf([
    { type: 'external-wave-created', wave: 0, id: 'w', name: null, description: null, by, version },
    { type: 'external-batch-submitted', batch: 'b', wave: 0, subtasks: [subtask], by, version },
    { type: 'external-subtask-updated', subtask: 'a', priority: 9, by, version },
  ]);
  expect(subtaskOf(state, 'a')).toEqual({
    ...subtask,
    ...{ priority: 9, batch: 'b', wave: 0, result: null, createdAt: '', actions: 0, files: [] },
    progress: { status: 'pending', startedAt: null },
  });
});

test('a batch ends as it was decided, whatever would be decided now', () => {
  const conflicts = [{ type: 'dependency_conflict', subtasks: ['x', 'y'] }] as const;
  const state = foldOf([
    { type: 'external-wave-created', wave: 0, id: 'w', name: null, description: null, by, version },
    { type: 'external-batch-submitted', batch: 'b', wave: 0, subtasks: [], by, version },
    { type: 'external-batch-completed', batch: 'b', files: ['odd'], conflicts, nextWaveReady: true, by, version },
  ]);
  expect(state.batches['b']?.end).toEqual({ at: '', files: ['odd'], conflicts, nextWaveReady: true });
});
