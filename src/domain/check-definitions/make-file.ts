import { type Call, join, pathFrom, type Reading } from './reading.ts';

/** `make`: its file counts as a whole; the recipes that a goal leads to are read as commands. */
export function readMake(reading: Reading, { args, directory: from }: Call): void {
  const { directory, file, goals } = argumentsOf(args, from);
  if (directory === null) {
    reading.unread('make');
    return;
  }
  const names = file === null ? ['GNUmakefile', 'makefile', 'Makefile'] : [file];
  // one of the others would be taken in place of today's
  for (const name of names) reading.define(join(directory, name));
  const path = names.map((name) => join(directory, name)).find((name) => reading.files.has(name));
  const text = path === undefined ? null : reading.files.text(path);
  if (text !== null) readRules(reading, parse(reading, text, directory), goals, directory);
}

function argumentsOf(args: readonly string[], from: string) {
  let directory: string | null = from;
  let file: string | null = null;
  const goals: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    const long = /^--(directory|file|makefile)=(.*)$/.exec(arg);
    const short = /^-([Cf])(.+)$/.exec(arg);
    const [, option = '', value = ''] = long ?? short ?? ['', arg.replace(/^-+/, ''), ''];
    const isOption =
      long !== null || short !== null || ['-C', '-f', '--directory', '--file', '--makefile'].includes(arg);
    if (isOption) {
      const given: string = long === null && short === null ? (args[++at] ?? '') : value;
      if (/^(C|directory)$/.test(option)) directory = pathFrom(directory ?? '', given);
      else file = given;
    } else if (['-j', '-l', '-o', '-W'].includes(arg) && /^\d+$/.test(args[at + 1] ?? '')) at++;
    else if (!arg.startsWith('-') && !arg.includes('=')) goals.push(arg);
  }
  return { directory, file, goals };
}

type Rules = {
  readonly rules: ReadonlyMap<string, { readonly needs: readonly string[]; readonly recipe: readonly string[] }>;
  readonly first: string | null;
  readonly variables: ReadonlyMap<string, string>;
};

/** Targets, what they need and their recipes, as far as they are written plainly. Files that it includes are read with it. */
function parse(reading: Reading, text: string, directory: string, depth = 0): Rules {
  const rules = new Map<string, { needs: string[]; recipe: string[] }>();
  const variables = new Map<string, string>();
  let targets: readonly string[] = [];
  let first: string | null = null;
  for (const line of text.replaceAll(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    const include = /^(?:-|s)?include\s+(.+)$/.exec(line)?.[1];
    const variable = /^(?:export\s+|override\s+)?([\w.-]+)\s*(?::{0,3}|\?|\+)=\s*(.*)$/.exec(line);
    const rule = /^([^\s#:=][^#:=]*?)\s*::?(?!=)\s*([^#;]*)(?:;(.*))?/.exec(line);
    if (line.startsWith('\t')) for (const target of targets) rules.get(target)?.recipe.push(line.slice(1));
    else if (include !== undefined) {
      for (const name of include.trim().split(/\s+/)) {
        const path = join(directory, name);
        reading.define(path);
        const more = depth < 8 ? reading.files.text(path) : null;
        if (more === null) continue;
        const inner = parse(reading, more, directory, depth + 1);
        for (const [key, value] of inner.variables) variables.set(key, value);
        for (const [key, value] of inner.rules) rules.set(key, { needs: [...value.needs], recipe: [...value.recipe] });
      }
    } else if (variable !== null) variables.set(variable[1] ?? '', variable[2] ?? '');
    else if (rule !== null) {
      targets = (rule[1] ?? '').split(/\s+/);
      for (const target of targets) {
        const known = rules.get(target) ?? { needs: [], recipe: [] };
        known.needs.push(...(rule[2] ?? '').trim().split(/\s+/));
        if (rule[3] !== undefined) known.recipe.push(rule[3]);
        rules.set(target, known);
      }
      first ??= targets.find((target) => !/^\.[A-Z]/.test(target) && !target.includes('%')) ?? null;
    }
  }
  return { rules, first, variables };
}

function readRules(
  reading: Reading,
  { rules, first, variables }: Rules,
  goals: readonly string[],
  directory: string,
): void {
  const done = new Set<string>();
  const visit = (goal: string): void => {
    const rule = rules.get(goal);
    if (rule === undefined || done.has(goal)) return;
    done.add(goal);
    rule.needs
      .map((need) => expand(need, variables))
      .flatMap((needs) => needs.split(/\s+/))
      .forEach(visit);
    for (const line of rule.recipe) reading.commands(expand(line.replace(/^[\s@+-]+/, ''), variables), directory);
  };
  (goals.length > 0 ? goals : first === null ? [] : [first]).forEach(visit);
}

/** Variables that the file sets plainly; what is left is for the shell, or unknown to both. */
function expand(text: string, variables: ReadonlyMap<string, string>, depth = 0): string {
  if (depth > 8) return text;
  return text
    .replaceAll(/\$[({]([\w.-]+)[)}]/g, (whole, name: string) => {
      const value = name === 'MAKE' ? 'make' : name === 'SHELL' ? 'sh' : variables.get(name);
      return value === undefined ? whole : expand(value, variables, depth + 1);
    })
    .replaceAll('$$', '$');
}
