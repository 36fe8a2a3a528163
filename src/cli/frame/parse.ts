import type { Command as Parser } from 'commander';
import type { Argument, Command, Option } from './command.ts';
import { flagsOf, globalOptions, usageText } from './help.ts';

type Library = typeof import('commander');
export type ParsedInput = Readonly<Record<string, unknown>>;

/** Sets up a parser for a command. `onParsed` gets the input by the names of the definition. */
export function parserOf(
  command: Command,
  { Command: NewParser, ...library }: Library,
  onParsed: (input: ParsedInput) => void,
): Parser {
  const { name, summary, help, lenient, arguments: args, options } = command;
  const inline = Object.entries(options).filter(([, option]) => option.inline === true);
  const parser = new NewParser(`tidegate ${name}`)
    .usage(usageText(command))
    .description(sentence(summary))
    .helpOption('-h, --help', 'show this help')
    .exitOverride()
    .allowExcessArguments(lenient === true)
    .allowUnknownOption(lenient === true || inline.length > 0)
    .configureHelp({ helpWidth: 80 })
    .addHelpText('after', everywhere);
  for (const [key, argument] of Object.entries(args))
    parser.addArgument(argumentOf(key, lenient === true ? relaxed(argument) : argument, library));
  const plain = Object.entries(options).filter(([, option]) => option.inline !== true);
  for (const [key, option] of plain)
    parser.addOption(optionOf(key, lenient === true ? relaxed(option) : option, library));
  for (const [key, option] of inline) parser.addHelpText('after', `\n  ${flagsOf(key, option)}  ${option.about}`);
  if (help !== undefined) parser.addHelpText('after', `\n${help}`);
  return parser.action((...words: unknown[]) => {
    const typed = parser.opts();
    onParsed({
      ...Object.fromEntries(Object.keys(args).map((key, at) => [key, words[at]])),
      ...Object.fromEntries(plain.map(([key, option]) => [key, inputOf(typed[attributeOf(key)], option)])),
    });
  });
}

/** The library has the value of `--depends-on` as `dependsOn`. */
const attributeOf = (key: string): string => key.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

const sentence = (summary: string): string => `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;

const everywhere = `\nGlobal options: ${globalOptions
  .slice(0, 4)
  .map(({ flags }) => flags)
  .join(', ')}`;

const relaxed = <Part extends Argument | Option>({
  required: _,
  choices: __,
  ...part
}: Part): Omit<Part, 'required' | 'choices'> => part;

function argumentOf(key: string, { about, required, variadic, choices }: Argument, library: Pick<Library, 'Argument'>) {
  const name = variadic === true ? `${key}...` : key;
  const argument = new library.Argument(required === true ? `<${name}>` : `[${name}]`, about);
  return choices === undefined ? argument : argument.choices([...choices]);
}

function optionOf(key: string, option: Option, library: Pick<Library, 'Option'>) {
  const made = new library.Option(flagsOf(key, option), option.about).makeOptionMandatory(option.required === true);
  if (option.default !== undefined) made.default(option.default);
  if (option.repeatable === true) made.argParser<readonly string[]>((value, before = []) => [...before, value]);
  return made;
}

function inputOf(typed: unknown, { value, repeatable }: Option): unknown {
  if (repeatable === true) return typed ?? [];
  return value === undefined ? typed === true : typed;
}
