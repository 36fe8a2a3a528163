import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DcmEvent, DcmSubtaskStatus } from '../domain/ledger/dcm-events.ts';
import type { By } from '../domain/ledger/requests.ts';
import type { DcmCommand } from './decide.ts';
import { decideDcm } from './decide.ts';
import { derivedEventOf } from './derived-events.ts';
import { replayDcmSession } from './replay.ts';
import {
  countsOf,
  type DcmSession,
  evolveDcmSession,
  isSubtaskSettled,
  newDcmSession,
  subtaskOf,
  subtasksOfWave,
} from './session.ts';

const by: By = { who: 'Ada', via: 'command' };
const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const statuses: readonly DcmSubtaskStatus[] = ['pending', 'running', 'paused', 'blocked', 'completed', 'failed'];
const wave = fc.integer({ min: 0, max: 3 });
const newSubtask = (batch: string, name: string, blockedBy: readonly string[]) => ({
  id: `${batch}${name}`,
  taskId: name,
  agentType: 'x',
  agentId: null,
  description: name,
  priority: 5,
  blockedBy,
  context: null,
});
const subtaskId = fc
  .tuple(fc.constantFrom('1', '2', '3'), fc.constantFrom(...names))
  .map(([batch, name]) => batch + name);

const command: fc.Arbitrary<DcmCommand> = fc.oneof(
  {
    weight: 1,
    arbitrary: wave.map((number) => ({ type: 'create-wave', wave: number, name: null, description: null }) as const),
  },
  { weight: 2, arbitrary: wave.map((number) => ({ type: 'start-wave', wave: number }) as const) },
  { weight: 2, arbitrary: fc.constant({ type: 'transition' } as const) },
  {
    weight: 3,
    arbitrary: fc
      .record({
        batch: fc.constantFrom('1', '2', '3'),
        wave,
        tasks: fc.array(fc.tuple(fc.constantFrom(...names), fc.array(subtaskId, { maxLength: 1 })), {
          minLength: 1,
          maxLength: 3,
        }),
      })
      .map(({ batch, wave: number, tasks }) => {
        const once = tasks.filter(([name], at) => tasks.findIndex(([other]) => other === name) === at);
        return {
          type: 'submit-batch',
          batch,
          wave: number,
          subtasks: once.map(([name, blocked]) => newSubtask(batch, name, blocked)),
        } as const;
      }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      type: fc.constant('update-subtask' as const),
      subtask: subtaskId,
      status: fc.constantFrom(...statuses),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('complete-batch' as const),
      batch: fc.constantFrom('1', '2', '3'),
      failUnfinished: fc.boolean(),
    }),
  },
);

/** Every state that a sequence of commands leads through, each with the fact that led to it. */
function histories(
  commands: readonly DcmCommand[],
): readonly { readonly event: DcmEvent; readonly before: DcmSession; readonly state: DcmSession }[] {
  let state = newDcmSession('s');
  return commands.flatMap((one, second) => {
    const decided = decideDcm(state, { command: one, by });
    return (decided.ok ? decided.value : []).map((event) => {
      const before = state;
      state = evolveDcmSession(before, { at: new Date(second * 1000).toISOString(), event });
      return { event, before, state };
    });
  });
}
const commands = fc.array(command, { minLength: 10, maxLength: 80 });
const always = (holds: (history: ReturnType<typeof histories>) => void): void => {
  fc.assert(
    fc.property(commands, (given) => holds(histories(given))),
    { numRuns: 400 },
  );
};

test('no wave begins while one before it is not through, and none is put before one that has begun', () => {
  always((history) => {
    for (const { state } of history) {
      const begun = state.waves.filter(({ status }) => status !== 'pending');
      const highest = begun.at(-1)?.number ?? -1;
      for (const { number, status } of state.waves)
        if (number < highest) expect(['completed', 'failed']).toContain(status);
    }
  });
});

test('what is completed or failed stays so, waves and subtasks and batches', () => {
  always((history) => {
    for (const { before, state } of history) {
      for (const one of before.waves)
        if (one.status === 'completed' || one.status === 'failed')
          expect(state.waves.find(({ number }) => number === one.number)).toEqual(one);
      for (const one of before.subtasks) if (isSubtaskSettled(one)) expect(subtaskOf(state, one.id)).toEqual(one);
      for (const one of Object.values(before.batches)) if (one.end !== null) expect(state.batches[one.id]).toEqual(one);
    }
  });
});

test('a wave has ended exactly when its subtasks are all settled, or when it had none and was left; as completed exactly when none failed', () => {
  always((history) => {
    const last = history.at(-1)?.state;
    for (const { number, status } of last?.waves ?? []) {
      const subtasks = last === undefined ? [] : subtasksOfWave(last, number);
      const { total, completed, failed } = countsOf(subtasks);
      const isLeft = total === 0 && last?.waves.some((one) => one.number > number && one.status !== 'pending');
      const isThrough = isLeft === true || (total > 0 && completed + failed === total);
      expect(status === 'completed' || status === 'failed').toBe(isThrough);
      if (isThrough) expect(status).toBe(failed > 0 ? 'failed' : 'completed');
    }
  });
});

test('nothing runs or is completed before what blocks it is completed', () => {
  always((history) => {
    for (const { event, state } of history) {
      if (event.type !== 'external-subtask-updated') continue;
      const subtask = subtaskOf(state, event.subtask);
      if (subtask === undefined || !['running', 'completed'].includes(subtask.progress.status)) continue;
      for (const id of subtask.blockedBy) expect(subtaskOf(state, id)?.progress.status).toBe('completed');
    }
  });
});

test('every fact is decided the same again; one that is there twice is found', () => {
  always((history) => {
    const stored = history.map(({ event }, at) => ({ seq: at + 1, at: '', event }));
    expect(replayDcmSession('s', stored).differences).toEqual([]);
    const [twice] = stored.slice(stored.length >> 1);
    if (twice === undefined) return;
    expect(replayDcmSession('s', stored.toSpliced(twice.seq, 0, twice)).differences).not.toEqual([]);
  });
});

test('the end of a wave and of a batch are told once', () => {
  always((history) => {
    const told = history.flatMap(({ event, state }) => {
      const dcm = derivedEventOf(event, state);
      if (dcm === null) return [];
      return [`${dcm.event} ${String(dcm.data['batch_id'] ?? dcm.data['wave_number'] ?? dcm.data['to'])}`];
    });
    expect(told).toEqual([...new Set(told)]);
  });
});

test('the commands reach all that there is: waves that fail, waves that complete, batches that end', () => {
  const seen = new Set(
    fc
      .sample(commands, 400)
      .flatMap((given) =>
        histories(given).map(({ event }) => (event.type === 'external-wave-ended' ? event.outcome : event.type)),
      ),
  );
  expect([...seen].sort()).toEqual([
    'completed',
    'external-batch-completed',
    'external-batch-submitted',
    'external-subtask-updated',
    'external-wave-created',
    'external-wave-started',
    'failed',
  ]);
});
