import { expect, test } from 'vitest';
import { task } from '../../../test/support/plans.ts';
import { approved, begun, by, ended, held, hello, run, started } from '../../../test/support/run-events.ts';
import { closed, commit, heldBy, tree, working as workingState } from '../../../test/support/standing-states.ts';
import { answer } from '../../domain/decide/answer.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import type { RunState } from '../../domain/run/run.ts';
import { foldRun } from '../../domain/run/run.ts';
import { plannedTask } from '../../domain/run/task.ts';
import { keepingOf, keepingOfLfs, keepingOfProofs } from './disk-keeper.ts';

const stateAfter = (...events: RunEvent[]) => foldRun(events.map((event, at) => ({ seq: at + 1, event })));
const working = [...begun(), ...approved, ...started];
const job = `${run}.hello.1`;
const generate = `${run}.generate.0.1.1`;
const check = `${run}.check.${'e'.repeat(16)}.0.1`;

test.each([
  ['at work', working, job, true],
  ['held', [...working, ended, ...held], job, true],
  ['dropped by name', [...working, ended, ...held, { type: 'task-dropped', task: hello, by } as RunEvent], job, false],
  ['of no known run', working, 'other-abcd.hello.1', true],
  ['of no known task', working, `${run}.other.1`, true],
  ['a check of an open run', working, check, true],
  ['a check of an ended run', [...working, { type: 'run-ended', outcome: 'done' } as RunEvent], check, false],
  ['of generated files of an open run', working, generate, true],
  [
    'of generated files of an ended run',
    [...working, { type: 'run-ended', outcome: 'done' } as RunEvent],
    generate,
    false,
  ],
])('a workspace %s is kept: %#', (_, events, id, keep) => {
  expect(keepingOf(id, [stateAfter(...events)]).keep).toBe(keep);
});

const dropped = [...working, ended, ...held, { type: 'task-dropped', task: hello, by } as RunEvent];
const over = { type: 'run-ended', outcome: 'done' } as RunEvent;
test.each([
  ['there never was a run', [], false],
  ['all work of ended runs is dropped or landed', [[...dropped, over]], false],
  ['a run is open', [dropped], true],
  ['a run ended with work that nobody dropped', [[...working, ended, ...held, over]], true],
  ['one of two runs is open', [[...dropped, over], working], true],
])('when %s, LFS objects are kept: %#', (_, runs, keep) => {
  expect(keepingOfLfs([null, ...runs.map((events) => stateAfter(...events))]).keep).toBe(keep);
});

const docs = task('wave-1-docs', { closes: 'docs', owns: ['docs/**'] });
const withRole = (ended: RunState['ended']): RunState => ({
  ...workingState,
  ended,
  plan: { ...workingState.plan, waves: workingState.plan.waves.map((wave) => ({ ...wave, closure: [docs] })) },
  tasks: {
    ...workingState.tasks,
    [docs.id]: { ...plannedTask(docs, 0), progress: heldBy({ because: 'conflict', files: ['docs/a.md'] }) },
  },
});

test('the workspace of a closure role goes after the end of its run; nobody has to drop the role, and nobody can', () => {
  const workspace = `${run}.${docs.id}.1`;
  expect(keepingOf(workspace, [withRole(null)])).toEqual({ keep: true, why: 'the run is open' });
  expect(keepingOf(workspace, [withRole('abandoned')]).keep).toBe(false);
  const request = { type: 'requested-drop', task: docs.id, paths: [], by } as const;
  expect(answer(withRole('done'), request)).toMatchObject({ ok: false, error: { rule: 'role-request', ended: true } });
});

test('proofs that people gave are kept as long as the work that they are about', () => {
  const about = { task: hello, snapshot: commit, tree, level: 'live', artifacts: [], attestation: 'seen', by } as const;
  const proven: RunState = { ...closed, bundles: [{ ...about, id: 'p1', state: 'active' }] };
  expect(keepingOfProofs(run, [proven])).toEqual({ keep: true, why: 'the run is open' });
  expect(keepingOfProofs(run, [{ ...proven, ended: 'done' }]).keep).toBe(true);
  const landed: RunState = { ...proven, ended: 'landed', undo: { ...proven.undo, landed: [hello] } };
  expect(keepingOfProofs(run, [landed])).toEqual({ keep: false, why: 'all work is landed or dropped' });
  expect(keepingOfProofs('other-abcd', [proven]).keep).toBe(true);
});
