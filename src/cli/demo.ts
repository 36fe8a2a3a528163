import type { Outcome, Register } from './command.ts';

export type DemoPorts<Repository extends { readonly path: string }> = {
  make(): Promise<Repository>;
  /** Runs the plan through all ten phases, drops the rogue by name, lands the rest and tells the timeline. */
  play(repository: Repository): Promise<Outcome>;
};

/** `tidegate demo`: a throw-away repository, five real processes, one of them a rogue. */
export const demo =
  <Repository extends { readonly path: string }>(ports: DemoPorts<Repository>): Register =>
  (command, does, context) => {
    command.action(
      does(async () => {
        const repository = await ports.make();
        if (!context.json) context.terminal.line(`A new repository is in ${repository.path}`);
        return await ports.play(repository);
      }),
    );
  };
