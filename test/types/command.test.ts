import { expect, test } from 'vitest';
import { command, done } from '../../src/cli/frame/command.ts';
import type { Act } from '../../src/cli/tui/ui.ts';
import type { ActionName } from '../../src/engine/actions/actions.ts';

/** Each `@ts-expect-error` is a claim that `npm run check` proves: if the line compiled, the check would fail. */

const common = { name: 'x', group: 'look', summary: 'x' } as const;
const about = 'x';

test('the input of a body has the types that arguments and options declare', () => {
  const made = command({
    ...common,
    arguments: {
      one: { about, required: true },
      maybe: { about },
      more: { about, variadic: true },
    },
    options: {
      flag: { about },
      pager: { about, negated: true },
      value: { about, value: 'text' },
      usual: { about, value: 'text', default: 'x' },
      needed: { about, value: 'text', required: true },
      many: { about, value: 'text', repeatable: true },
      tool: { about, value: 'name', valueOptional: true },
    },
    run: (input) => {
      const typed: {
        readonly one: string;
        readonly maybe: string | undefined;
        readonly more: readonly string[];
        readonly flag: boolean;
        readonly pager: boolean;
        readonly value: string | undefined;
        readonly usual: string;
        readonly needed: string;
        readonly many: readonly string[];
        readonly tool: string | true | undefined;
      } = input;
      // @ts-expect-error an argument that may be left out may be undefined
      const maybe: string = input.maybe;
      // @ts-expect-error so may the value of an option
      const value: string = input.value;
      // @ts-expect-error what is not declared is not there
      return done([], { typed, maybe, value, other: input.other });
    },
  });
  expect(made.name).toBe('x');
});

test('a command that asks for an action gives the input of that action', () => {
  const asks = () => [
    command({ ...common, asks: () => ({ action: 'raise', subject: 'run', input: { usd: 5 } }) }),
    // @ts-expect-error an amount is a number
    command({ ...common, asks: () => ({ action: 'raise', subject: 'run', input: { usd: '5' } }) }),
    // @ts-expect-error there is no such action
    command({ ...common, asks: () => ({ action: 'rise', subject: 'run', input: { usd: 5 } }) }),
    // @ts-expect-error a command either runs a body or asks for an action
    command({ ...common }),
  ];
  expect(asks).toBeTypeOf('function');
});

test('every key of the terminal UI that asks for something names an action', () => {
  const named = ({ act }: Act): ActionName => act;
  expect(named({ act: 'land' })).toBe('land');
});
