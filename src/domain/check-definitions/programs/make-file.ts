import { existingFiles } from '../config-files.ts';
import { type Call, filesStarted, join, pathFrom, placeFrom, type Reading } from '../reading.ts';

/** Reads make. Its file counts as a whole; the recipes of a goal are read as commands. */
export function readMake(reading: Reading, { args, directory: from }: Call): void {
  const { directory, file, goals } = parseArguments(args, from);
  if (directory === null) {
    reading.unread('make');
    return;
  }
  const paths =
    file === null
      ? ['GNUmakefile', 'makefile', 'Makefile'].map((name) => join(directory, name))
      : filesStarted(reading, directory, file);
  // a new file with one of the other names could replace today's
  for (const path of paths) reading.define(path);
  const path = paths.find((one) => reading.files.has(one));
  const text = path === undefined ? null : reading.files.text(path);
  if (path === undefined || text === null) {
    reading.unread('make');
    return;
  }
  defineRemaking(reading, path);
  readRules(reading, parse(reading, text, directory), goals, directory);
}

/** Adds files that make would rebuild its own files from, by built-in rules: `Makefile` from `Makefile.sh`. */
function defineRemaking(reading: Reading, path: string): void {
  reading.define(`${path}.*`);
}

function parseArguments(args: readonly string[], from: string) {
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
      const operand: string = long === null && short === null ? (args[++at] ?? '') : value;
      if (/^(C|directory)$/.test(option)) directory = placeFrom(directory ?? '', operand);
      else file = operand;
    } else if (['-j', '-l', '-o', '-W'].includes(arg) && /^\d+$/.test(args[at + 1] ?? '')) at++;
    else if (!arg.startsWith('-') && !arg.includes('=')) goals.push(arg);
  }
  return { directory, file, goals };
}

type Rule = { readonly needs: string[]; readonly recipe: string[] };
type Rules = {
  readonly rules: Map<string, Rule>;
  first: string | null;
  readonly variables: Map<string, string>;
};

/** Parses targets, prerequisites and recipes, with included files, as far as they are literal. */
function parse(reading: Reading, text: string, directory: string): Rules {
  const rules: Rules = { rules: new Map(), first: null, variables: new Map() };
  parseInto(rules, reading, text, directory, deepest);
  return rules;
}

/** The deepest chain of includes that is followed. */
const deepest = 8;

function parseInto(target: Rules, reading: Reading, text: string, directory: string, left: number): void {
  const { rules, variables } = target;
  let targets: readonly string[] = [];
  for (const written of text.replaceAll(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    const line = written.replace(/^ +/, '');
    const include = /^(?:-|s)?include\s+([^#]+)/.exec(line)?.[1];
    const variable = /^(?:export\s+|override\s+)?([\w.-]+)\s*(:{0,3}|\?|\+)=\s*(.*)$/.exec(line);
    const rule = /^([^\s#:=][^#:=]*?)\s*::?(?!=)\s*([^#;]*)(?:;(.*))?/.exec(line);
    if (line.startsWith('\t')) for (const name of targets) rules.get(name)?.recipe.push(line.slice(1));
    else if (include !== undefined)
      for (const path of includedFiles(reading, expand(include, variables), directory))
        parseInto(target, reading, left > 0 ? (reading.files.text(path) ?? '') : '', directory, left - 1);
    else if (variable !== null) setVariable(variables, variable);
    else if (rule !== null) {
      targets = wordsOf(expand(rule[1] ?? '', variables));
      for (const name of targets) {
        const entry = rules.get(name) ?? { needs: [], recipe: [] };
        entry.needs.push(...wordsOf(rule[2] ?? ''));
        if (rule[3] !== undefined) entry.recipe.push(rule[3]);
        rules.set(name, entry);
      }
      target.first ??= targets.find((name) => !/^\.[A-Z]/.test(name) && !name.includes('%')) ?? null;
    }
  }
}

/** Returns the existing files that a line includes. Names that make computes are `unread`. */
function includedFiles(reading: Reading, text: string, directory: string): readonly string[] {
  const names = text.replaceAll(/\$[({]wildcard\s+([^$(){}]*)[)}]/g, '$1');
  if (/\$[({]\S*\s/.test(names)) {
    reading.unread(`include ${text.trim()}`);
    return [];
  }
  const patterns = wordsOf(names).flatMap((name) => filesStarted(reading, directory, name));
  for (const pattern of patterns) reading.define(pattern);
  const paths = patterns.flatMap((pattern) => existingFiles(reading.files, pattern));
  for (const path of paths) defineRemaking(reading, path);
  return paths;
}

const wordsOf = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

function setVariable(variables: Map<string, string>, [, name = '', operator, value = '']: readonly string[]): void {
  const before = variables.get(name);
  if (operator === '+' && before !== undefined) variables.set(name, `${before} ${value}`);
  else if (operator !== '?' || before === undefined) variables.set(name, value);
}

function readRules(
  reading: Reading,
  { rules, first, variables }: Rules,
  goals: readonly string[],
  directory: string,
): void {
  const done = new Set<string>();
  const requested = goals.length > 0 ? goals : first === null ? [] : [first];
  const phony = new Set(wordsOf((rules.get('.PHONY')?.needs ?? []).map((need) => expand(need, variables)).join(' ')));
  const visit = (goal: string): void => {
    if (done.has(goal)) return;
    done.add(goal);
    const rule = ruleOf(rules, goal);
    const isNamed = requested.includes(goal) || rules.has(goal);
    if (rule !== null && rule.recipe.length > 0 && isNamed && !phony.has(goal)) defineGoal(reading, goal, directory);
    const path = pathFrom(directory, goal);
    if (rule === null && !(path !== null && reading.files.has(path))) reading.unread(`make ${goal}`);
    if (rule === null) return;
    const needs = wordsOf(rule.needs.map((need) => expand(need, variables)).join(' ')).filter((need) => need !== '|');
    needs.forEach(visit);
    const automatic = new Map([
      ...variables,
      ['@', goal],
      ['*', rule.stem],
      ['<', needs[0] ?? ''],
      ['^', needs.join(' ')],
    ]);
    for (const line of rule.recipe) reading.commands(expand(line.replace(/^[\s@+-]+/, ''), automatic), directory);
  };
  requested.forEach(visit);
}

/** Adds a goal that is not a file today: as a file it would count as up to date, and its recipe would not run. */
function defineGoal(reading: Reading, goal: string, directory: string): void {
  const path = /[$%*?]/.test(goal) ? null : pathFrom(directory, goal);
  if (path === null || path === '') return;
  if (reading.files.has(path) || reading.files.paths.some((one) => one.startsWith(`${path}/`))) return;
  reading.define(path);
  reading.define(`${path}/**`);
}

/** Returns the rule of a goal: its own, or a matching pattern rule with the stem filled in. */
function ruleOf(rules: Rules['rules'], goal: string): (Rule & { readonly stem: string }) | null {
  const own = rules.get(goal);
  if (own !== undefined && own.recipe.length > 0) return { ...own, stem: '' };
  for (const [target, { needs, recipe }] of rules) {
    const [before = '', after, more] = target.split('%');
    if (after === undefined || more !== undefined || !goal.startsWith(before) || !goal.endsWith(after)) continue;
    if (goal.length <= before.length + after.length) continue;
    const stem = goal.slice(before.length, goal.length - after.length);
    return { needs: [...(own?.needs ?? []), ...needs.map((need) => need.replace('%', stem))], recipe, stem };
  }
  return own === undefined ? null : { ...own, stem: '' };
}

/** Expands variables with literal values. The rest is left for the shell. */
function expand(text: string, variables: ReadonlyMap<string, string>, depth = 0): string {
  if (depth > 8) return text;
  return text.replaceAll(/\$(?:\$|([@*<^])|[({]([\w.-]+|[@*<^])[)}])/g, (whole, short?: string, long?: string) => {
    const name = short ?? long;
    if (name === undefined) return '$';
    const value = name === 'MAKE' ? 'make' : name === 'SHELL' ? 'sh' : variables.get(name);
    return value === undefined ? whole : expand(value, variables, depth + 1);
  });
}
