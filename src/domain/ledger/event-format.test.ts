import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type EventVersions,
  eventBody,
  eventVersions,
  opening,
  readEvent,
  type Upcasters,
  upcasters,
} from './event-format.ts';
import type { LedgerEvent } from './events.ts';

const closed: LedgerEvent = { type: 'wave-closed', wave: 3 };

/** A version of ours that is to come: it knows the third version of one type, and how to read the two before. */
const later: { readonly versions: EventVersions; readonly steps: Upcasters } = {
  versions: { ...eventVersions, 'wave-closed': 3 },
  steps: {
    'wave-closed': [
      ({ wave, ...rest }) => ({ ...rest, waves: [wave] }),
      ({ waves, ...rest }) => ({ ...rest, all: waves, why: 'unknown' }),
    ],
  },
};

describe('the stored form of an event', () => {
  test('is canonical, and names the version of its type', () => {
    expect(eventBody({ wave: 3, type: 'wave-closed' })).toBe('{"type":"wave-closed","v":1,"wave":3}');
    expect(eventBody(closed, later.versions)).toBe('{"type":"wave-closed","v":3,"wave":3}');
    expect(eventBody(opening)).toBe('{"format":2,"hashing":"sha256-link-1","type":"ledger-opened","v":1}');
  });

  test('is ASCII, whatever an event says', () => {
    const event: LedgerEvent = { type: 'external-key-used', key: 'ä\u2028😀\ud800\u007f', asked: '', version: 1 };
    const body = eventBody(event);
    expect(body).toBe(
      '{"asked":"","key":"\\u00e4\\u2028\\ud83d\\ude00\\ud800\\u007f","type":"external-key-used","v":1,"version":1}',
    );
    expect(readEvent(JSON.parse(body))).toEqual({ kind: 'event', event });
  });

  test('of what JSON cannot hold does not exist', () => {
    expect(() => eventBody({ type: 'wave-closed', wave: 1n } as unknown as LedgerEvent)).toThrow(TypeError);
    expect(() => eventBody({ type: 'wave-closed', wave: () => 1 } as unknown as LedgerEvent)).toThrow(SyntaxError);
  });

  test('of any event reads back as that event, and is the same again', () => {
    const types = fc.constantFrom(...(Object.keys(eventVersions) as LedgerEvent['type'][]));
    const fields = fc.dictionary(
      fc.string({ unit: 'binary' }).filter((name) => name !== 'v' && name !== 'type'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(types, fields, (type, rest) => {
        const event = JSON.parse(JSON.stringify({ ...rest, type })) as LedgerEvent;
        const body = eventBody(event);
        expect(body).toMatch(/^[\x20-\x7e]*$/);
        const read = readEvent(JSON.parse(body));
        expect(read).toEqual({ kind: 'event', event });
        expect(read.kind === 'event' && eventBody(read.event)).toBe(body);
      }),
    );
  });
});

describe('a stored event', () => {
  test('of the version that is known is taken as it is, without the version', () => {
    expect(readEvent({ ...closed, v: 1 })).toEqual({ kind: 'event', event: closed });
  });

  test.each([
    [1, { type: 'wave-closed', wave: 3 }],
    [2, { type: 'wave-closed', waves: [3] }],
    [3, { type: 'wave-closed', all: [3], why: 'unknown' }],
  ])('of version %i is brought to version 3 step by step', (v, stored) => {
    const event = { type: 'wave-closed', all: [3], why: 'unknown' };
    expect(readEvent({ ...stored, v }, later)).toEqual({ kind: 'event', event });
  });

  test('of another type is untouched by steps that are not for it', () => {
    expect(readEvent({ type: 'run-resumed', waves: 1, v: 1 }, later)).toEqual({
      kind: 'event',
      event: { type: 'run-resumed', waves: 1 },
    });
  });

  test.each([
    ['a newer version of a type', { ...closed, v: 2 }, { kind: 'newer', type: 'wave-closed', version: 2 }],
    ['a type that is not known', { type: 'wave-folded', v: 1 }, { kind: 'newer', type: 'wave-folded', version: 1 }],
    ['a name that objects have', { type: 'constructor', v: 1 }, { kind: 'newer', type: 'constructor', version: 1 }],
  ])('that is %s was written by a newer Tidegate', (_, stored, expected) => {
    expect(readEvent(stored)).toEqual(expected);
  });

  test('that is a request of a newer Tidegate is kept, under a name that is refused', () => {
    expect(readEvent({ type: 'requested-moon', phase: 1, v: 4 })).toEqual({
      kind: 'event',
      event: { type: 'requested-moon', phase: 1 },
    });
    expect(readEvent({ type: 'requested-pause', until: 'x', v: 2 })).toEqual({
      kind: 'event',
      event: { type: 'requested-pause@2', until: 'x' },
    });
  });

  test.each([
    ...[null, 7, 'wave-closed', [], {}, { v: 1 }, { type: 7, v: 1 }, { type: 'wave-closed', wave: 3 }],
    ...[0, -1, 1.5, '1', null, 2 ** 53].map((v) => ({ ...closed, v })),
  ])('that is %j is none', (stored) => {
    expect(readEvent(stored)).toEqual({ kind: 'malformed' });
  });
});

test('every version of a type before its own has a step to the next', () => {
  const types = Object.keys(eventVersions) as LedgerEvent['type'][];
  const steps = types.map((type) => [type, (upcasters[type] ?? []).length]);
  expect(steps).toEqual(types.map((type) => [type, eventVersions[type] - 1]));
});
