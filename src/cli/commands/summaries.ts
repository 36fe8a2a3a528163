import type { CommandSummary } from '../frame/command.ts';
import { allCommands } from '../frame/program.ts';
import { commandList } from './list.ts';

/** Returns a summary of every command, in the order of `--help`. The build replaces this module by its result, so that no command is loaded. */
export const commandSummaries = async (): Promise<readonly CommandSummary[]> =>
  (await allCommands(commandList)).map(({ name, group, summary, hidden }) => ({
    name,
    group,
    summary,
    ...(hidden && { hidden }),
  }));
