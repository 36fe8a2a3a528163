import type { ActionInputs, ActionName } from '../../engine/actions/actions.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Context, groups, Outcome } from './command.ts';
import type { Ports } from './ports.ts';

/** A command as a value. Help, usage, completion and the reference are derived from it, and so is how it is parsed. */
export type Command = {
  readonly name: string;
  readonly group: keyof typeof groups;
  /** One line of `--help`. */
  readonly summary: string;
  /** By the names that the body reads them by, in the order of the command line. */
  readonly arguments: Readonly<Record<string, Argument>>;
  /** By the names that the body reads them by; `dryRun` is typed as `--dry-run`. */
  readonly options: Readonly<Record<string, Option>>;
  /** Printed below the options. */
  readonly help?: string;
  /** Not for people: left out of help and completion. */
  readonly hidden?: true;
  /** Only looks, and is a tool of `tidegate mcp`. */
  readonly mcp?: true;
  /** Parsed without complaint: the body refuses whatever was typed. */
  readonly lenient?: true;
  /** Counts up in the order in which definitions are loaded, which is that of the lines in `commands/list.ts`. */
  readonly line: number;
  run(input: Readonly<Record<string, unknown>>, context: Context, program: Program): Promise<Outcome> | Outcome;
};

export type Argument = {
  readonly about: string;
  readonly required?: true;
  /** The last argument, of which there may be several. */
  readonly variadic?: true;
  /** As the usage shows it, where the name says too little: `run[/task]`. */
  readonly shown?: string;
  readonly choices?: readonly string[];
  /** Shells offer the names of runs and tasks. */
  readonly completes?: 'runs';
};

/** Without a `value` it is a flag. */
export type Option = {
  readonly about: string;
  /** As it is typed, where the name that the body reads it by is another one. */
  readonly flag?: string;
  /** One letter. */
  readonly short?: string;
  /** Names the value: `--plan <hash>`. */
  readonly value?: string;
  /** Values that shells offer; which ones are taken is for the body to say. */
  readonly choices?: readonly string[];
  readonly valueOptional?: true;
  readonly default?: string;
  readonly required?: true;
  /** May be given several times. */
  readonly repeatable?: true;
  /** Typed as `--no-…`; true unless it is. */
  readonly negated?: true;
  /** Read by the body, from among the arguments, because its place there counts. */
  readonly inline?: true;
};

/** The program around a command: the adapters, each loaded when a command asks for it, and all commands. */
export type Program = { readonly ports: Ports; readonly commands: readonly Command[] };

/** An action on a run or a task, which is named as a person types it. Undefined is the live run. */
export type ActionCall<Name extends ActionName = ActionName> = {
  [N in Name]: { readonly action: N; readonly subject: string | undefined; readonly input: ActionInputs[N] };
}[Name];

type ArgumentInput<A extends Argument> = A extends { readonly variadic: true }
  ? readonly string[]
  : A extends { readonly required: true }
    ? string
    : string | undefined;

type OptionInput<O extends Option> = O extends { readonly repeatable: true }
  ? readonly string[]
  : O extends { readonly valueOptional: true }
    ? string | true | undefined
    : O extends { readonly value: string }
      ? O extends { readonly required: true } | { readonly default: string }
        ? string
        : string | undefined
      : boolean;

type Input<A extends Command['arguments'], O extends Command['options']> = {
  readonly [K in keyof A]: ArgumentInput<A[K]>;
} & {
  readonly [K in keyof O as O[K] extends { readonly inline: true } ? never : K]: OptionInput<O[K]>;
};

type Definition<A extends Command['arguments'], O extends Command['options']> = Omit<
  Command,
  'arguments' | 'options' | 'line' | 'run'
> & { readonly arguments?: A; readonly options?: O } & (
    | { run(input: Input<A, O>, context: Context, program: Program): Promise<Outcome> | Outcome }
    /** A command that shows something of a repository and changes nothing. */
    | { looks(input: Input<A, O>, repo: RepositoryHandle, context: Context): Promise<Outcome> }
    /** A command that is one action: which one, on what, with which input; or why it cannot be asked for. */
    | {
        asks(
          input: Input<A, O>,
          context: Context,
          program: Program,
        ): ActionCall | Outcome | Promise<ActionCall | Outcome>;
      }
  );

let lines = 0;

/** Makes a command of its definition. Bodies load what they need by `import()`: every start of ours reads all definitions. */
export function command<
  const A extends Command['arguments'] = Readonly<Record<never, Argument>>,
  const O extends Command['options'] = Readonly<Record<never, Option>>,
>(definition: Definition<A, O>): Command {
  lines += 1;
  const common = { arguments: {}, options: {}, ...definition, line: lines };
  if ('run' in definition) return { ...common, run: definition.run };
  if ('looks' in definition)
    return {
      ...common,
      run: async (input: Input<A, O>, context: Context, { ports }: Program) =>
        (await import('./with-repository.ts')).withRepository(ports.openRepository, context, 'look', (repo) =>
          definition.looks(input, repo, context),
        ),
    };
  return {
    ...common,
    run: async (input: Input<A, O>, context: Context, program: Program) => {
      const asking = await definition.asks(input, context, program);
      return 'exit' in asking ? asking : await (await import('./act.ts')).askFor(asking, context, program);
    },
  };
}
