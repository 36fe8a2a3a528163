import type { Argument, Command, Option } from './definition.ts';

/** Returns the part of the usage behind the name of a command: `[run] [--replan] [-d, --detach]`. */
export const usageText = ({ arguments: args, options }: Command): string =>
  [
    ...Object.entries(args).map(([name, argument]) => argumentUsage(name, argument)),
    ...Object.entries(options).map(([name, option]) => optionUsage(name, option)),
  ].join(' ');

/** As it is typed: `--dry-run`, `--no-pager`. */
export const longFlag = (name: string, { negated, flag = kebab(name) }: Option): string =>
  `--${negated === true ? 'no-' : ''}${flag}`;

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** With its short form and its value: `-o, --output <file>`. */
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
