import { expect, test } from 'vitest';
import type { AgentNote } from '../../domain/agents/agent-note.ts';
import { describeFinding } from '../../domain/explain/explain.ts';
import { type AgentEvent, noUsage } from '../../domain/tool-calls/agent-event.ts';
import { openSteering } from '../channel/steering.ts';
import { watchAllowance } from './allowance-watch.ts';

const turn: AgentEvent = { type: 'turn', text: 'on' };
const result: AgentEvent = { type: 'tool-result', id: '1', outcome: 'ok', text: '' };
const used = (usd: number): AgentEvent => ({ type: 'usage', usage: { ...noUsage, usd } });
const through: AgentEvent = { type: 'ended', outcome: 'completed', trouble: null };

function watched(limits: { readonly turns: number | null; readonly usd: number }) {
  const ends: string[] = [];
  const notes: AgentNote[] = [];
  const watch = watchAllowance(limits, {
    note: (note) => void notes.push(note),
    end: (reason, because) => void ends.push(`${reason}: ${describeFinding(because)}`),
  });
  return { watch, ends, notes };
}

test('an agent that goes on over its budget is ended, one that is through just then is not', () => {
  const going = watched({ turns: null, usd: 1 });
  for (const event of [turn, used(1.2), turn]) going.watch.take(event);
  expect(going.ends[0]).toBe('over-budget: the budget is used up: $1.20 of $1.00');
  const done = watched({ turns: null, usd: 1 });
  for (const event of [turn, used(1.2), through]) done.watch.take(event);
  expect(done.ends).toEqual([]);
});

test('a raise counts at once', () => {
  const { watch, ends } = watched({ turns: null, usd: 1 });
  watch.raise(2);
  for (const event of [used(1.2), turn]) watch.take(event);
  expect(ends).toEqual([]);
});

test('turns are answers of the model, however many calls each has; told near the end, ended after it', () => {
  const { watch, ends, notes } = watched({ turns: 5, usd: 1 });
  for (let answer = 1; answer <= 5; answer += 1) for (const event of [turn, turn, result]) watch.take(event);
  expect({ ends, notes }).toEqual({ ends: [], notes: [{ note: 'turns-near', turns: 4, limit: 5 }] });
  watch.take(turn);
  expect(ends).toEqual(['timed-out: the limit of 5 turns was reached']);
});

test('a message is handed on once for each request, and not at all while nobody takes it', () => {
  const steering = openSteering();
  expect(steering.send(7, 'early')).toBe(false);
  const said: string[] = [];
  const notes: AgentNote[] = [];
  steering.onSend({ say: (text) => said.push(text) > 0, note: (note) => void notes.push(note) });
  expect([steering.send(7, 'now'), steering.send(7, 'now'), steering.send(8, 'more')]).toEqual([true, true, true]);
  expect(said).toEqual(['now', 'more']);
  expect(notes).toEqual([
    { note: 'heard', request: 7 },
    { note: 'heard', request: 8 },
  ]);
});
