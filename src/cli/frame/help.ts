import type { Text } from '../../ports/terminal.ts';
import { type Argument, type Command, type CommandSummary, groups, type Option } from './command.ts';

export const globalOptions = [
  { flags: '-C <dir>', summary: 'run as if started in <dir>' },
  { flags: '--state-dir <dir>', summary: 'keep state below <dir> instead of the default place' },
  { flags: '--json', summary: 'print one JSON document, or JSON Lines while following' },
  { flags: '--no-color', summary: 'print no colours, like NO_COLOR' },
  { flags: '-h, --help', summary: 'show this help, or the help of a command' },
  { flags: '-V, --version', summary: 'print the version' },
] as const;

/** Returns the whole of `tidegate --help`, at most 80 columns wide. */
export function overview(commands: readonly CommandSummary[]): readonly Text[] {
  const lines: Text[] = [
    'Runs waves of coding agents on a git repository; merges only what it can prove.',
    '',
    [{ text: 'Usage:', tone: 'strong' }, ' tidegate [options] <command> …'],
  ];
  for (const [group, title] of Object.entries(groups)) {
    const members = commands.filter((command) => command.group === group && command.hidden !== true);
    if (members.length === 0) continue;
    lines.push('', [{ text: title, tone: 'strong' }]);
    for (const { name, summary } of members) lines.push(`  ${name.padEnd(11)} ${summary}`);
  }
  lines.push('', [{ text: 'Options', tone: 'strong' }]);
  for (const { flags, summary } of globalOptions) lines.push(`  ${flags.padEnd(19)} ${summary}`);
  lines.push('', 'Help on one command: tidegate <command> --help');
  return lines;
}

/** Returns the part of the usage behind the name of a command: `[run] [--replan] [-d, --detach]`. */
export const usageText = ({ arguments: args, options }: Command): string =>
  [
    ...Object.entries(args).map(([name, argument]) => argumentUsage(name, argument)),
    ...Object.entries(options).map(([name, option]) => optionUsage(name, option)),
  ].join(' ');

/** Returns an option as it is typed: `--dry-run`, `--no-pager`. */
export const longFlag = (name: string, { negated, flag = kebab(name) }: Option): string =>
  `--${negated === true ? 'no-' : ''}${flag}`;

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Returns an option with its short form and its value: `-o, --output <file>`. */
export function flagsOf(name: string, option: Option): string {
  const { short, value, valueOptional } = option;
  const flags = `${short === undefined ? '' : `-${short}, `}${longFlag(name, option)}`;
  if (value === undefined) return flags;
  return valueOptional === true ? `${flags} [${value}]` : `${flags} <${value}>`;
}

function argumentUsage(name: string, { shown = name, required, variadic }: Argument): string {
  const text = variadic === true ? `${shown}…` : shown;
  return required === true ? `<${text}>` : `[${text}]`;
}

function optionUsage(name: string, option: Option): string {
  const flags = flagsOf(name, option).replace('...', '…');
  const text = option.required === true ? flags : `[${flags}]`;
  return option.repeatable === true ? `${text}…` : text;
}
