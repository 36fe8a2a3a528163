import { describe, expect, test } from 'vitest';
import { commit, idOf, me, tree } from '../../../test/support/plans.ts';
import { runId } from '../base/ids.ts';
import type { RunEvent } from '../ledger/events.ts';
import { evolveLanding, type LandingState, noLanding } from './landing.ts';

const [old, next] = [commit('old'), commit('new')];
const past = (...events: RunEvent[]): LandingState => events.reduce<LandingState>(evolveLanding, noLanding);

const observed = (tip: typeof old): RunEvent => ({ type: 'target-observed', commit: tip });
const rebuilt = (onto: typeof old): RunEvent => ({
  type: 'landing-rebuilt',
  onto,
  commit: next,
  tree: tree('new'),
  conflicts: [],
});
const intended: RunEvent = { type: 'landing-intended', branch: 'main', old, new: next, worktree: null };
const landed: RunEvent = { type: 'landed', branch: 'main', old, new: next, tasks: [], commits: [] };
const undo = (task: string | null) => ({
  intended: { type: 'undo-intended', task: task && idOf(task), branch: 'main', old: next, new: old } as RunEvent,
  done: { type: 'undone', task: task && idOf(task), branch: 'main', old: next, new: old, exact: true } as RunEvent,
});

describe('a landing', () => {
  test('is observed, intended, landed', () => {
    expect(past(observed(old))).toEqual({ status: 'observed', tip: old, rebuilt: null, moves: 0 });
    expect(past(observed(old), intended)).toEqual({ status: 'intended', branch: 'main', old, new: next, moves: 0 });
    expect(past(observed(old), intended, landed)).toEqual({ status: 'landed', branch: 'main', old, new: next });
  });

  test('counts how often the branch moved under it', () => {
    const moved = commit('moved');
    const state = past(observed(old), rebuilt(old), observed(moved), rebuilt(moved));
    expect(state).toMatchObject({ status: 'observed', tip: moved, moves: 1, rebuilt: { onto: moved } });
  });

  test('begins anew on a branch that somebody moved at the last moment', () => {
    const moved = commit('moved');
    const state = past(observed(old), intended, observed(moved));
    expect(state).toEqual({ status: 'observed', tip: moved, rebuilt: null, moves: 1 });
  });

  test('remembers why it was refused', () => {
    const because = { rule: 'submodules-move', files: ['a'] } as const;
    const refused: RunEvent = { type: 'landing-refused', because };
    expect(past(observed(old), refused)).toEqual({ status: 'refused', because });
  });

  test('keeps the conflict that it was refused for, until a person settles it or says yes again', () => {
    const conflicted = { part: commit('part'), commit: commit('both') };
    const conflict = { commit: commit('both'), onto: old, files: ['a'] };
    const clash: RunEvent = { ...rebuilt(old), conflicts: ['a'], conflicted } as RunEvent;
    const because = {
      rule: 'landing-conflicts',
      run: runId('demo-ab12'),
      branch: 'main',
      tasks: null,
      files: ['a'],
    } as const;
    const refused = past(observed(old), clash, { type: 'landing-refused', because });
    expect(refused).toEqual({ status: 'refused', because, conflict });
    const other: RunEvent = { type: 'landing-refused', because: { rule: 'landing-busy', branch: 'main', tries: 3 } };
    expect(past(observed(old), clash, other)).not.toHaveProperty('conflict');
    const edited = { type: 'landing-edited', from: commit('both'), paths: ['a'], copy: 'a1', by: me } as const;
    const snapshot = { part: conflicted.part, snapshot: next, commit: next };
    expect(evolveLanding(refused, { ...edited, ...snapshot })).toEqual(noLanding);
  });

  test('is undone as a whole', () => {
    const { intended: undoing, done } = undo(null);
    expect(past(landed, undoing).status).toBe('undoing');
    expect(past(landed, undoing, done)).toEqual({ status: 'undone', branch: 'main', commit: old, exact: true });
  });

  test('stays landed when one task of it is undone, or the undo is refused', () => {
    const { intended: undoing, done } = undo('a');
    expect(past(landed, undoing, done).status).toBe('landed');
    const refused: RunEvent = { type: 'undo-refused', task: null, because: { rule: 'nothing-landed' } };
    expect(past(landed, undoing, refused).status).toBe('landed');
  });
});
