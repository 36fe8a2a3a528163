import { misused, type Register } from './command.ts';

/** `tidegate handoff` outside a fence. Inside, `tidegate` on the PATH is the small client that knows its attempt. */
export const handoff: Register = (command, does) => {
  command
    .argument('[status]', 'done, partial or failed')
    .option('-m, --message <text>', 'what was done')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(
      does(() =>
        misused(
          'not-in-a-fence',
          'handoff: only an agent inside the fence of its task can hand off; nothing was recorded here',
        ),
      ),
    );
};
