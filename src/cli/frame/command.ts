import { err, ok, type Result } from '../../domain/base/result.ts';
import type { ActionInputs, ActionName } from '../../engine/actions/actions.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Terminal, Text } from '../../ports/terminal.ts';
import type { Ports } from './ports.ts';

/** A command as a value. Parsing, help, usage, completion and the reference are derived from it. */
export type Command = {
  readonly name: string;
  readonly group: keyof typeof groups;
  /** One line of `--help`. */
  readonly summary: string;
  /** In the order of the command line. The keys are the names that the body uses. */
  readonly arguments: Readonly<Record<string, Argument>>;
  /** The keys are the names that the body uses; `dryRun` is typed as `--dry-run`. */
  readonly options: Readonly<Record<string, Option>>;
  /** Printed below the options. */
  readonly help?: string;
  /** Not for people: left out of help and completion. */
  readonly hidden?: true;
  /** Changes nothing, and is a tool of `tidegate mcp`. */
  readonly mcp?: true;
  /** Accepts any arguments and options: the body refuses them all. */
  readonly lenient?: true;
  run(input: Readonly<Record<string, unknown>>, context: Context, program: Program): Promise<Outcome> | Outcome;
};

/** The part of a command that `tidegate --help` shows. */
export type CommandSummary = Pick<Command, 'name' | 'group' | 'summary' | 'hidden'>;

/** All commands by name, in the order of `--help`. Each is loaded when it is needed. */
export type CommandList = Readonly<Record<string, () => Promise<Command>>>;

export const groups = {
  begin: 'Set up',
  run: 'Run',
  look: 'Inspect',
  decide: 'Decide',
  serve: 'For other programs',
  keep: 'Maintain',
  agent: 'For agents, inside the fence',
} as const;

export type Argument = {
  readonly about: string;
  readonly required?: true;
  /** Takes all remaining words; only the last argument can. */
  readonly variadic?: true;
  /** The form that the usage shows, where the name says too little: `run[/task]`. */
  readonly shown?: string;
  readonly choices?: readonly string[];
  /** Shells complete it with the names of runs and tasks. */
  readonly completes?: 'runs';
};

/** A flag, unless it has a `value`. */
export type Option = {
  readonly about: string;
  /** The form that people type, where that differs from the name that the body uses. */
  readonly flag?: string;
  /** One letter. */
  readonly short?: string;
  /** Names the value: `--plan <hash>`. */
  readonly value?: string;
  /** Values that shells complete. The body decides which ones it accepts. */
  readonly choices?: readonly string[];
  readonly valueOptional?: true;
  readonly default?: string;
  readonly required?: true;
  readonly repeatable?: true;
  /** Typed as `--no-…`, and true without it. */
  readonly negated?: true;
  /** Read by the body from among the arguments, because its position matters. */
  readonly inline?: true;
};

/** Arguments that several commands have. */
export const aRun = {
  about: 'a run, or the first letters of its name (default: the live run)',
  completes: 'runs',
} as const satisfies Argument;

export const aTask = {
  about: 'run/task, or a task of the live run',
  required: true,
  shown: 'run/task',
  completes: 'runs',
} as const satisfies Argument;

export const aRunOrTask = {
  about: 'run or run/task (default: the live run)',
  shown: 'run[/task]',
  completes: 'runs',
} as const satisfies Argument;

export const aPlan = {
  about: 'a plan file, or markdown files with one task each (default: tidegate.plan.yaml)',
  variadic: true,
  shown: 'plan | task.md',
} as const satisfies Argument;

/** Everything that a command sees of the process it runs in. */
export type Context = {
  readonly terminal: Terminal;
  readonly json: boolean;
  /** The working directory, or `-C`. */
  readonly cwd: string;
  /** `--state-dir`: the root below which repositories keep their state. */
  readonly stateRoot: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Aborted when nobody reads our output any more. */
  readonly readerGone: AbortSignal;
  /** Replaces the default reaction to signals, which is to exit 130 at once. Until disposed. */
  onSignal(listener: (signal: Signal) => void): Disposable;
};

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The program around a command: the adapters, each loaded at its first use, and all commands. */
export type Program = { readonly ports: Ports; readonly commands: CommandList };

/** Exit codes that shells and other programs can rely on. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  partial: 3,
  noAnswer: 32,
  qaOpen: 42,
  personNeeded: 43,
  interrupted: 130,
} as const;

/** One line each, for the reference. */
export const exitMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'done',
  failed: 'failed or refused',
  usage: 'the command, the plan or the configuration has a mistake; nothing was changed',
  partial: 'done, but some tasks were dropped',
  noAnswer: 'the coordinator of this repository does not answer',
  qaOpen: 'the report of the closure role QA is the only thing that keeps the wave open; the output names the commands',
  personNeeded: 'a person must decide; the output names the command to run',
  interrupted: 'interrupted; a run continues in the background, anything else was not started',
};

/** Exit codes of the starter in `bin`, before any command can run. */
export const startCodes = {
  78: 'Tidegate cannot run here: Node is too old, or the checkout was not built; nothing was changed',
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Something that only a person can do, and the command that does it. */
type Need = {
  readonly kind: string;
  readonly task: string | null;
  readonly message: string;
  readonly command: string;
};

/** The result of a command. `--json` prints everything but `lines` and `problems` as one document. */
export type Outcome = {
  readonly exit: ExitCode;
  /** The exit code of a program that the command ran; it replaces ours. */
  readonly code?: number;
  /** Short and stable, for programs: `done`, `plan-invalid`. */
  readonly reason: string;
  readonly needs?: readonly Need[];
  /** Further members of the document. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The result for people, on standard output. */
  readonly lines?: readonly Text[];
  /** Errors, on standard error, also with `--json`. */
  readonly problems?: readonly Text[];
};

export const done = (lines: readonly Text[] = [], data: Readonly<Record<string, unknown>> = {}): Outcome => ({
  exit: exitCodes.done,
  reason: 'done',
  lines,
  data,
});

/** The command cannot be carried out as typed. */
export const usageError = (reason: string, message: string): Outcome => ({
  exit: exitCodes.usage,
  reason,
  problems: [`tidegate: ${message}`],
  data: { message },
});

/** The names of a comma-separated list that may be given several times; undefined without one. An empty name is a mistake. */
export function namesInLists(flag: string, lists: readonly string[]): Result<readonly string[] | undefined, Outcome> {
  const names = lists.flatMap((list) => list.split(',')).map((name) => name.trim());
  if (names.includes('')) return err(usageError('empty-name', `${flag}: a name is empty in ${lists.join(',')}`));
  return ok(lists.length === 0 ? undefined : names);
}

export const failure = (reason: string, message: string): Outcome => ({
  exit: exitCodes.failed,
  reason,
  problems: [`tidegate: ${message}`],
  data: { message },
});

/** An action on a run or a task, named as a person types it. Undefined means the live run. */
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

type InRepository<I> = (input: I, repo: RepositoryHandle, context: Context, program: Program) => Promise<Outcome>;

type Body<I> =
  | { run(input: I, context: Context, program: Program): Promise<Outcome> | Outcome }
  /** Shows something of the repository and changes nothing. */
  | { readonly looks: InRepository<I> }
  /** Asks something of a run, and needs more than one action for it. */
  | { readonly changes: InRepository<I> }
  /** Is exactly one action; or the outcome that says why it cannot be. */
  | {
      asks(input: I, context: Context, program: Program): ActionCall | Outcome | Promise<ActionCall | Outcome>;
    };

type Definition<A extends Command['arguments'], O extends Command['options']> = Omit<
  Command,
  'arguments' | 'options' | 'run'
> & { readonly arguments?: A; readonly options?: O } & Body<Input<A, O>>;

/** Makes a command of its definition. */
export function command<
  const A extends Command['arguments'] = Readonly<Record<never, Argument>>,
  const O extends Command['options'] = Readonly<Record<never, Option>>,
>(definition: Definition<A, O>): Command {
  const common = { arguments: {}, options: {}, ...definition };
  if ('run' in definition) return { ...common, run: definition.run };
  if ('asks' in definition)
    return {
      ...common,
      run: async (input: Input<A, O>, context: Context, program: Program) => {
        const call = await definition.asks(input, context, program);
        return 'exit' in call ? call : await (await import('./act.ts')).actOnce(call, context, program);
      },
    };
  const [access, body] =
    'looks' in definition ? (['look', definition.looks] as const) : (['ask', definition.changes] as const);
  return {
    ...common,
    run: async (input: Input<A, O>, context: Context, program: Program) =>
      (await import('./subject.ts')).withRepository(program.ports.openRepository, context, access, (repo) =>
        body(input, repo, context, program),
      ),
  };
}
