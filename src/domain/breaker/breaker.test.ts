import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foreign, healthyWork, type Transcript, transcript } from '../../../test/support/transcripts.ts';
import type { Finding } from '../findings/finding.ts';
import type { AgentEvent, ToolCall } from '../tool-calls/agent-event.ts';
import { type Breaker, evolveBreaker, newBreaker, spiralWarning, stopDue, type Trip } from './breaker.ts';

const workspace = '/workspace';

function follow(events: readonly AgentEvent[], from: Breaker = newBreaker(workspace)) {
  let state = from;
  const trips: { readonly after: number; readonly trip: Trip }[] = [];
  for (const [index, event] of events.entries()) {
    const step = evolveBreaker(state, event);
    state = step.state;
    if (step.trip) trips.push({ after: index, trip: step.trip });
  }
  return { state, trips: trips.map(({ trip }) => trip), at: trips.map(({ after }) => after) };
}

const tripsOf = (write: (log: Transcript) => void) => {
  const log = transcript();
  write(log);
  return follow(log.events).trips;
};
const times = (count: number, act: (index: number) => void) => {
  for (let index = 0; index < count; index++) act(index);
};

describe('a pagination spiral', () => {
  test('is the third overlapping read of a path', () => {
    expect(
      tripsOf((log) => {
        log.read('src/a.ts', { from: 1, to: 200 });
        log.read('./src/a.ts', { from: 50, to: 250 });
        log.read('/workspace/src/a.ts', { from: 60, to: 200 });
      }),
    ).toEqual([
      {
        pattern: 'pagination-spiral',
        file: 'src/a.ts',
        occurrences: 3,
        class: null,
        reads: [
          { from: 1, to: 200 },
          { from: 50, to: 250 },
          { from: 60, to: 200 },
        ],
        words: ['Read src/a.ts'],
      },
    ]);
  });

  test('is found in reads by shell as well', () => {
    const trips = tripsOf((log) => {
      log.run(`/bin/bash -lc "sed -n '1,200p' src/a.ts"`, 'one');
      log.run("sed -n '40,220p' src/a.ts", 'two');
      log.run('sed -n 30,210p ./src/a.ts', 'three');
      log.run('head -n 200 src/a.ts | grep x', 'four');
    });
    expect(trips).toMatchObject([{ pattern: 'pagination-spiral', file: 'src/a.ts' }]);
  });

  test.each<[string, (log: Transcript) => void]>([
    [
      '3,000 lines page by page',
      (log) => times(15, (page) => log.read('a', { from: page * 200 + 1, to: page * 200 + 200 })),
    ],
    [
      'pages that repeat half of the one before',
      (log) => times(29, (page) => log.read('a', { from: page * 100 + 1, to: page * 100 + 200 })),
    ],
    [
      'a file twice, page by page',
      (log) => times(30, (page) => log.read('a', { from: (page % 15) * 200 + 1, to: (page % 15) * 200 + 200 })),
    ],
    [
      'the whole and then different places',
      (log) => {
        log.read('a');
        times(9, (place) => log.read('a', { from: place * 50 + 1, to: place * 50 + 40 }));
      },
    ],
    ['a file that others write meanwhile', (log) => times(9, (size) => log.read('log', null, 'x'.repeat(size)))],
    [
      'again after edits, of whatever file',
      (log) =>
        times(9, (index) => {
          log.read('types.ts');
          log.edit('a', `${index}`);
        }),
    ],
    [
      'again after something changed the file',
      (log) =>
        times(9, (index) => {
          log.read('a');
          log.seen('a', `${index}`);
        }),
    ],
    ['different files', (log) => times(9, (index) => log.read(`${index}`))],
    [
      'what cannot be read',
      (log) => times(9, (index) => log.done({ kind: 'read', paths: ['a'], input: `${index}` }, 'no', 'failed')),
    ],
  ])('is not: %s', (_, write) => {
    expect(tripsOf(write)).toEqual([]);
  });
});

describe('turn-key repetition', () => {
  test('is the third identical call in a row with the same result', () => {
    expect(tripsOf((log) => times(3, () => log.run('npm  test', '1 failed', 'failed')))).toEqual([
      {
        pattern: 'turn-key-repetition',
        file: null,
        occurrences: 3,
        class: null,
        words: ['Bash npm  test'],
      },
    ]);
  });

  test('is also writing the same again and again', () => {
    const written = tripsOf((log) =>
      times(3, () => {
        log.edit('a', 'all of it');
        log.seen('a', 'digest');
      }),
    );
    expect(written.map(({ pattern }) => pattern)).toEqual(['turn-key-repetition']);
  });

  test.each<[string, (log: Transcript) => void]>([
    ['results that differ', (log) => times(9, (index) => log.run('git status', `${index}`))],
    [
      'an edit in between',
      (log) =>
        times(9, (index) => {
          log.run('npm test', 'failed', 'failed');
          log.edit('a', `${index}`);
        }),
    ],
    [
      'a change in between that no call tells of',
      (log) =>
        times(9, (index) => {
          log.run('npm run generate');
          log.seen('out', `${index}`);
        }),
    ],
    ['another pattern', (log) => times(9, (index) => log.done({ kind: 'search', input: `${index}` }, 'nothing'))],
    ...['mcp__tidegate__inbox', 'tidegate_inbox', 'inbox (tidegate MCP Server)', 'mcp.tidegate.inbox'].map(
      (tool): [string, (log: Transcript) => void] => [
        `looking for an answer by ${tool}`,
        (log) => times(30, () => log.done({ kind: 'other', tool, input: '{}' }, 'nothing for you yet')),
      ],
    ),
    [
      'looking for an answer by command',
      (log) => times(30, () => log.run('/run/tidegate/bin/tidegate  inbox', 'nothing for you yet')),
    ],
    ['calls that wait', (log) => times(9, () => log.run('sleep 5 && cat status', 'pending'))],
    [
      'a provider that broke off',
      (log) =>
        times(9, () => {
          log.run('npm test');
          log.add({ type: 'provider-trouble', trouble: { kind: 'dropped', until: null, words: '' } });
        }),
    ],
    [
      'no answer yet',
      (log) => times(9, () => log.add({ type: 'tool-call', call: log.call({ kind: 'run', command: 'make' }) })),
    ],
  ])('is not: %s', (_, write) => {
    expect(tripsOf(write)).toEqual([]);
  });
});

describe('an error echo', () => {
  const missed = 'String to replace not found in file (took 12 ms)';

  test.each<[string, string | null, (log: Transcript) => void]>([
    [
      'edit-format-friction',
      'src/a.ts',
      (log) => log.edit('src/a.ts', 'old -> new', missed.replace('12', `${log.events.length}`), 'failed'),
    ],
    ['other', 'src/a.ts', (log) => log.edit('src/a.ts', 'old -> new', 'ENOSPC', 'failed')],
    ['scope-denied', 'docs/b.md', (log) => log.deny({ kind: 'write', paths: ['docs/b.md'] })],
    ['scope-denied', null, (log) => log.deny({ kind: 'run', command: 'tee docs/b.md' })],
    [
      'command-blocked',
      null,
      (log) => log.deny({ kind: 'run', command: 'rm' }, { rule: 'agent-denied', words: 'the user said no' }),
    ],
    [
      'command-blocked',
      null,
      (log) => log.deny({ kind: 'run', command: 'git push' }, { rule: 'git-command', command: 'push' }),
    ],
  ])('of class %s is the third failure of the same attempt, whatever is read in between', (echo, file, attempt) => {
    const trips = tripsOf((log) =>
      times(3, (index) => {
        log.read(`look-${index}`);
        attempt(log);
      }),
    );
    expect(trips).toMatchObject([{ pattern: 'error-echo', file, occurrences: 3, class: echo }]);
  });

  test('is also the third time that a command fails alike after the same fix', () => {
    const trips = tripsOf((log) => {
      log.run('npm test', 'x is not a function (12 ms)', 'failed');
      log.edit('a', 'fix');
      log.run('npm test', 'x is not a function (13 ms)', 'failed');
      log.edit('a', 'fix');
      expect(follow(log.events).trips).toEqual([]);
      log.run('npm test', 'x is not a function (14 ms)', 'failed');
    });
    expect(trips).toEqual([
      {
        pattern: 'error-echo',
        file: null,
        occurrences: 3,
        class: 'other',
        words: ['Bash npm test', 'x is not a function (14 ms)'],
      },
    ]);
  });

  test.each<[string, (log: Transcript) => void]>([
    [
      'another fix each time',
      (log) =>
        times(9, (index) => {
          log.run('npm test', 'failed', 'failed');
          log.edit('a', `${index}`);
        }),
    ],
    ['another text to replace each time', (log) => times(9, (index) => log.edit('a', `${index}`, missed, 'failed'))],
    [
      'another error each time',
      (log) => times(9, (index) => log.edit('a', 'x', `error ${'x'.repeat(index)}`, 'failed')),
    ],
    [
      'the file could be edited meanwhile',
      (log) =>
        times(9, (index) => {
          log.edit('a', 'x', missed, 'failed');
          log.edit('a', `${index}`);
        }),
    ],
    [
      'a failing command between which only was read',
      (log) =>
        times(9, (index) => {
          log.run('npm test', 'failed', 'failed');
          log.read(`${index}`);
        }),
    ],
  ])('is not: %s', (_, write) => {
    expect(tripsOf(write)).toEqual([]);
  });

  test.each(['denied first', 'call first'])('counts a call once though it is told of several times: %s', (order) => {
    const log = transcript();
    times(2, () => {
      const call = log.call({ kind: 'write', paths: ['b'] });
      const told: readonly AgentEvent[] = [
        { type: 'tool-call', call },
        { type: 'denied', call, because: foreign('b') },
      ];
      log.add(...(order === 'call first' ? told : told.toReversed()));
      log.add({ type: 'denied', call, because: { rule: 'agent-denied', words: 'not yours' } });
      log.add({ type: 'tool-result', id: call.id, outcome: 'failed', text: 'the task does not own it' });
    });
    expect(follow(log.events).trips).toEqual([]);
    log.deny({ kind: 'write', paths: ['b'] });
    expect(follow(log.events).trips).toHaveLength(1);
  });
});

describe('a self-revert', () => {
  const contents = (...digests: readonly (string | null)[]) =>
    tripsOf((log) => {
      for (const digest of digests) log.seen('/workspace/a', digest);
    });

  test('is the third return of a file to what it held before', () => {
    expect(contents('1', '2', '1', '2')).toEqual([]);
    expect(contents('1', '2', '1', '2', '1')).toEqual([
      { pattern: 'self-revert', file: 'a', occurrences: 3, class: null, words: [] },
    ]);
    expect(contents('1', '2', '1', '3', '1', '4', '1')).toHaveLength(1);
  });

  test('is not: new content, the same content seen again, or a file that was deleted', () => {
    expect(contents('1', '2', '3', '4', '5', '6', '7')).toEqual([]);
    expect(contents('1', '1', '1', '1', '1', '1', '1')).toEqual([]);
    expect(contents('1', null, '1', null, '1', null, '1', null, '1')).toEqual([]);
  });
});

const spirals: Record<
  string,
  { readonly pattern: Trip['pattern']; readonly once: (log: Transcript, index: number, round: number) => void }
> = {
  'overlapping reads': {
    pattern: 'pagination-spiral',
    once: (log, index) => log.read('spiral.ts', { from: 1 + index * 10, to: 100 + index * 10 }),
  },
  'identical calls': { pattern: 'turn-key-repetition', once: (log) => log.run('ls spiral', 'nothing') },
  'a failing edit': {
    pattern: 'error-echo',
    once: (log) => log.edit('spiral.ts', 'x', 'old_string not found', 'failed'),
  },
  'a denied edit': {
    pattern: 'error-echo',
    once: (log) => log.deny({ kind: 'write', paths: ['no.ts'] }),
  },
  'a file put back': {
    pattern: 'self-revert',
    once: (log, index, round) => {
      log.seen('spiral.ts', `new ${round} ${index}`);
      log.seen('spiral.ts', 'one');
    },
  },
};

describe('for every transcript', () => {
  test('healthy work trips nothing', () => {
    fc.assert(
      fc.property(healthyWork('src'), (events) => {
        expect(follow(events).trips).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test.each(Object.entries(spirals))(
    '%s trip at the third time, and again only after three more',
    (_, { pattern, once }) => {
      fc.assert(
        fc.property(healthyWork('src'), healthyWork('lib'), (before, between) => {
          const log = transcript();
          log.seen('spiral.ts', 'one');
          let state = follow([...before, ...log.events]).state;
          for (const round of [1, 2]) {
            times(3, (index) => {
              const turn = transcript();
              turn.add(...Array.from({ length: index }, () => ({ type: 'turn', text: 'once more' }) as const));
              once(turn, index, round);
              const named = turn.events.map((event) => renamed(event, `${round}-${index}`));
              const result = follow(named, state);
              state = result.state;
              expect(result.trips.map((trip) => trip.pattern)).toEqual(index === 2 ? [pattern] : []);
            });
            expect([stopDue(state, true), stopDue(state, false)]).toEqual([true, round === 2]);
            if (round === 1) state = follow(between, state).state;
          }
        }),
        { numRuns: 100 },
      );
    },
  );

  test('the breaker never throws, and what it says is short', () => {
    const path = fc.constantFrom('a', 'b', '/', '', '..', '/workspace/../x', '\ud800\u0000\u202e', 'x/'.repeat(3000));
    const text = fc.constantFrom('', 'a', 'no match', '\u001b[2J\ud800', 'x'.repeat(5000), 'old_string '.repeat(500));
    const number = fc.oneof(
      fc.integer({ min: -5, max: 5000 }),
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, 1.5),
    );
    const call: fc.Arbitrary<ToolCall> = fc.record({
      id: fc.constantFrom('', '1', '2', '3'),
      tool: fc.constantFrom('Read', 'Bash', 'x'.repeat(10_000)),
      kind: fc.constantFrom('read', 'search', 'write', 'run', 'fetch', 'other'),
      paths: fc.oneof(
        fc.array(path, { maxLength: 3 }),
        fc.constant(Array.from({ length: 200 }, (_, index) => `many/${index}`)),
      ),
      command: fc.option(text),
      lines: fc.option(fc.record({ from: number, to: fc.option(number) })),
      input: text,
    });
    const event = fc.oneof(
      call.map((made) => ({ type: 'tool-call', call: made }) as const),
      fc
        .tuple(
          call,
          fc.oneof(
            text.map((words): Finding => ({ rule: 'agent-denied', words })),
            path.map(foreign),
          ),
        )
        .map(([made, because]): AgentEvent => ({ type: 'denied', call: made, because })),
      fc.record({
        type: fc.constant('tool-result' as const),
        id: fc.constantFrom('', '1', '2'),
        outcome: fc.constantFrom('ok', 'failed'),
        text,
      }),
      fc.record({ type: fc.constant('file-seen' as const), path, digest: fc.option(text) }),
      fc.constant({ type: 'started', session: null, model: null } as const),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 200, size: 'max' }), (events) => {
        const { state, trips } = follow(events);
        expect(JSON.stringify(trips).length).toBeLessThan(2000 * (trips.length + 1));
        expect(state.trips).toBe(trips.length);
      }),
      { numRuns: 10 },
    );
  });
});

test('the breaker remembers no more after 600 rounds than after 200', () => {
  const sizeAfter = (count: number) => {
    const log = transcript();
    times(count, (index) => {
      const long = `${index}`.padStart(400, 'x');
      log.read(long);
      log.run(long, long, 'failed');
      log.edit(long, long, long, 'failed');
      log.deny({ kind: 'write', paths: [long] });
      log.seen(long, long);
      log.seen('one file', long);
      log.add({ type: 'tool-call', call: log.call({ kind: 'run', command: long }) });
      log.add({
        type: 'denied',
        call: log.call({ kind: 'run', command: long }),
        because: { rule: 'agent-denied', words: long },
      });
    });
    return JSON.stringify(follow(log.events).state).length;
  };
  const [some, many] = [sizeAfter(200), sizeAfter(600)];
  expect(many).toBeLessThan(50_000);
  expect(Math.abs(many - some)).toBeLessThan(1000);
});

test('what the agent is told names the file and a way out', () => {
  const trips = tripsOf((log) => times(3, () => log.edit('src/a.ts', 'x', 'old_string is not unique', 'failed')));
  expect(trips.map(spiralWarning)).toEqual([
    'The same attempt has failed 3 times with the same error. Read the file again and copy the text to be replaced exactly, with its white space, or write the whole file.',
  ]);
});

function renamed(event: AgentEvent, name: string): AgentEvent {
  if (event.type === 'tool-result') return { ...event, id: `${name} ${event.id}` };
  if (event.type !== 'tool-call' && event.type !== 'denied') return event;
  return { ...event, call: { ...event.call, id: `${name} ${event.call.id}` } };
}
