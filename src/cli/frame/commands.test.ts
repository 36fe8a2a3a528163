import * as commander from 'commander';
import { expect, test } from 'vitest';
import { shellWords } from '../../../test/support/shell-words.ts';
import { standings } from '../../../test/support/standings.ts';
import { commandList } from '../commands/list.ts';
import { parserOf } from './parse.ts';
import { allCommands } from './program.ts';

const commands = await allCommands(commandList);

test('no two commands have the same name, and each says in a line what it does', () => {
  expect(new Set(commands.map(({ name }) => name)).size).toBe(commands.length);
  expect(commands.filter(({ summary, name }) => summary === '' || summary.length > 66 || name.length > 11)).toEqual([]);
});

test('the body of a command reads every argument and option by a name of its own', () => {
  const twice = commands.filter(({ arguments: args, options }) => Object.keys(args).some((name) => name in options));
  expect(twice).toEqual([]);
});

test('whatever a person is told to type is taken by the command that it names', () => {
  const typed = Object.values(standings()).flatMap(({ command, first = '' }) => [
    command,
    ...first.split('\n').filter((line) => line.startsWith('tidegate ')),
  ]);
  const refused: string[] = [];
  for (const line of new Set(typed)) {
    const [program, name, ...words] = shellWords(line);
    const command = commands.find((known) => known.name === name);
    try {
      if (program !== 'tidegate' || command === undefined) refused.push(line);
      else
        parserOf(command, commander, () => undefined)
          .configureOutput({ writeErr() {} })
          .parse(words, { from: 'user' });
    } catch (error) {
      if (!(error instanceof commander.CommanderError)) throw error;
      refused.push(`${line}: ${error.message}`);
    }
  }
  expect(refused).toEqual([]);
  expect(typed.length).toBeGreaterThan(80);
});
