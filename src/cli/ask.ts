import { misused, type Register } from './command.ts';

/** `tidegate ask` outside a fence. Inside, `tidegate` on the PATH is the small client that knows its attempt. */
export const ask: Register = (command, does) => {
  command
    .option('--scope <path...>', 'paths that the task does not own')
    .option('-m, --message <text>', 'why they are needed')
    .option('--wait <seconds>', 'wait so long for an answer')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(
      does(() =>
        misused(
          'not-in-a-fence',
          'ask: only an agent inside the fence of its task can ask; people grant: tidegate grant',
        ),
      ),
    );
};
