import { misused, type Register } from './command.ts';

/** What only the small client inside a fence can do, which knows its attempt: outside, `why` is all there is to say. */
export const inFenceOnly =
  (why: string): Register =>
  (command, does) => {
    command
      .allowUnknownOption()
      .allowExcessArguments()
      .action(does(() => misused('not-in-a-fence', why)));
  };
