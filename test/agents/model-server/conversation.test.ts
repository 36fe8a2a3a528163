import { expect, test } from 'vitest';
import { placeOf, type Said } from './conversation.ts';

const person = (text: string): Said => ({ from: 'person', text });
const agent = (...calls: string[]): Said => ({ from: 'agent', calls });
const tool: Said = { from: 'tool' };

test('an answer with two calls is one turn, also when each is told back with its own result', () => {
  const together = [person('[[script:a]]'), agent('call_t0_0', 'call_t0_1'), tool, tool];
  const apart = [person('[[script:a]]'), agent('call_t0_0'), tool, agent('call_t0_1'), tool];

  expect([placeOf(together, null), placeOf(apart, null)]).toEqual([
    { script: 'a', turn: 1 },
    { script: 'a', turn: 1 },
  ]);
});

test('text and calls of one answer are one turn when they are told back as two items', () => {
  expect(placeOf([person('[[script:a]]'), agent(), agent('call_t0_0'), tool], null)).toEqual({ script: 'a', turn: 1 });
});

test('a turn of text alone counts when the person goes on', () => {
  expect(placeOf([person('[[script:a]]'), agent(), person('go on')], null)).toEqual({ script: 'a', turn: 1 });
});

test('a new marker starts anew, and a marker in a result of a tool names nothing', () => {
  expect(placeOf([person('[[script:a]]'), agent(), person('[[script:b]]')], 'c')).toEqual({ script: 'b', turn: 0 });
  expect(placeOf([person('go'), agent('call_t4_0'), tool], 'c')).toEqual({ script: 'c', turn: 5 });
});
