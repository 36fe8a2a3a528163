import { Command, CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { shellWords } from '../../test/support/shell-words.ts';
import { standings } from '../../test/support/standings.ts';
import type { Context } from '../cli/command.ts';
import { unasked } from '../cli/unasked.ts';
import { commands } from './commands.ts';

const context: Context = {
  terminal: unasked({ line() {}, problem() {}, json() {} }),
  json: false,
  cwd: '/',
  stateRoot: null,
  env: {},
  version: '0',
  readerGone: new AbortController().signal,
  onSignal: () => ({ [Symbol.dispose]() {} }),
};

test.each(commands.map((entry) => [entry.name, entry] as const))(
  '%s names all of its options in its usage',
  async (_, entry) => {
    const command = new Command(entry.name);
    (await entry.load())(command, () => async () => {}, context);
    const unnamed = command.options.filter((option) => !entry.usage.includes(option.long ?? option.short ?? ''));
    expect(unnamed.map(({ flags }) => flags)).toEqual([]);
  },
);

test('no two commands have the same name, and each says in a line what it does', () => {
  expect(new Set(commands.map(({ name }) => name)).size).toBe(commands.length);
  expect(commands.filter(({ summary, name }) => summary === '' || summary.length > 66 || name.length > 11)).toEqual([]);
});

test('whatever a person is told to type is taken by the command that it names', async () => {
  const typed = Object.values(standings()).flatMap(({ command, first = '' }) => [
    command,
    ...first.split('\n').filter((line) => line.startsWith('tidegate ')),
  ]);
  const refused: string[] = [];
  for (const line of new Set(typed)) {
    const [program, name, ...words] = shellWords(line);
    const entry = commands.find((known) => known.name === name);
    const command = new Command(name)
      .exitOverride()
      .allowExcessArguments(false)
      .configureOutput({ writeErr() {} });
    (await entry?.load())?.(command, () => async () => {}, context);
    try {
      if (program !== 'tidegate' || entry === undefined) refused.push(line);
      else await command.parseAsync(words, { from: 'user' });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      refused.push(`${line}: ${error.message}`);
    }
  }
  expect(refused).toEqual([]);
  expect(typed.length).toBeGreaterThan(80);
});
