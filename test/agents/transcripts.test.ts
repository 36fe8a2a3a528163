import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { followClaude } from '../../src/agents/claude/stream.ts';
import { followCodex } from '../../src/agents/codex/stream.ts';
import { followOpencode } from '../../src/agents/opencode/stream.ts';
import { evolveBreaker, newBreaker, type Trip } from '../../src/domain/breaker/breaker.ts';
import { type AgentEvent, type AgentFailureKind, noUsage } from '../../src/domain/tool-calls/agent-event.ts';
import { allow } from '../../src/domain/tool-calls/tool-scope.ts';
import type { ExecutorCallbacks, OutputReader } from '../../src/ports/executor.ts';

/** What real agents printed, through the readers that supervisors use. */
const readers: Readonly<Record<string, (callbacks: ExecutorCallbacks) => OutputReader>> = {
  claude: (callbacks) => followClaude(callbacks, 0),
  codex: (callbacks) => followCodex(callbacks, noUsage),
  opencode: (callbacks) => followOpencode(callbacks, null),
};

/** Codex tells no edit that failed, so an error that it repeats is seen only where our own hook denies it. */
const spirals: Readonly<Record<string, readonly [string, Trip['pattern']][]>> = {
  claude: [
    ['spiral-repeat', 'turn-key-repetition'],
    ['spiral-pages', 'pagination-spiral'],
    ['spiral-error', 'error-echo'],
  ],
  codex: [
    ['spiral-repeat', 'turn-key-repetition'],
    ['spiral-pages', 'pagination-spiral'],
  ],
  opencode: [
    ['spiral-repeat', 'turn-key-repetition'],
    ['spiral-pages', 'pagination-spiral'],
    ['spiral-error', 'error-echo'],
  ],
};

const recorded = join(import.meta.dirname, 'transcripts');

function played(agent: string, name: string): readonly AgentEvent[] {
  const events: AgentEvent[] = [];
  const follow = readers[agent];
  if (follow === undefined) throw new Error(`no reader for ${agent}`);
  const reader = follow({
    emit: (event) => void events.push(event),
    decide: () => allow,
    write: () => undefined,
    endInput: () => undefined,
  });
  const file = join(recorded, agent, name);
  for (const line of readFileSync(`${file}.jsonl`, 'utf8').split('\n')) if (line !== '') reader.line(line);
  const { stderr } = JSON.parse(readFileSync(`${file}.about.json`, 'utf8')) as { readonly stderr: string };
  for (const line of stderr.split('\n')) if (line !== '') reader.errorLine(line);
  return events;
}

const trips = (events: readonly AgentEvent[]): readonly Trip['pattern'][] => {
  let state = newBreaker('/work');
  return events.flatMap((event) => {
    const step = evolveBreaker(state, event);
    state = step.state;
    return step.trip === null ? [] : [step.trip.pattern];
  });
};

const ending = (events: readonly AgentEvent[]) => events.findLast((event) => event.type === 'ended');

for (const agent of Object.keys(readers))
  describe(`what ${agent} printed`, () => {
    const names = readdirSync(join(recorded, agent))
      .filter((file) => file.endsWith('.jsonl'))
      .map((file) => file.slice(0, -'.jsonl'.length));

    test.each(names)('%s is understood line by line', (name) => {
      expect(played(agent, name).filter((event) => event.type === 'unknown')).toEqual([]);
    });

    test('normal: a session, tool calls with their results, tokens, and its own last word', () => {
      const events = played(agent, 'normal');
      const types = new Set(events.map((event) => event.type));
      expect([...types]).toEqual(expect.arrayContaining(['started', 'tool-call', 'tool-result', 'usage', 'ended']));
      expect(ending(events)).toMatchObject({ outcome: 'completed', trouble: null });
      const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event.call.id] : []));
      const results = events.flatMap((event) => (event.type === 'tool-result' ? [event.id] : []));
      expect(results.toSorted()).toEqual(calls.toSorted());
    });

    test.each<[string, AgentFailureKind]>([
      ['rate-limited-for-ever', 'rate-limited'],
      ['overloaded', 'overloaded'],
      ['unauthorized', 'needs-login'],
      ['dropped', 'dropped'],
    ])('%s is told as what it is', (name, kind) => {
      expect(ending(played(agent, name))).toMatchObject({ outcome: 'failed', trouble: { kind } });
    });

    test.each(['normal', 'healthy-pages', 'denied', 'tool-error', 'rate-limited'])('%s trips nothing', (name) => {
      expect(trips(played(agent, name))).toEqual([]);
    });

    test.each(spirals[agent] ?? [])('%s is found as %s', (name, pattern) => {
      expect(trips(played(agent, name))[0]).toBe(pattern);
    });
  });
