import { existingFiles } from '../config-files.ts';
import { type Call, filesStarted, join, pathFrom, placeFrom, type Reading } from '../reading.ts';

/** `make`: its file counts as a whole; the recipes that a goal leads to are read as commands. */
export function readMake(reading: Reading, { args, directory: from }: Call): void {
  const { directory, file, goals } = argumentsOf(args, from);
  if (directory === null) {
    reading.unread('make');
    return;
  }
  const paths =
    file === null
      ? ['GNUmakefile', 'makefile', 'Makefile'].map((name) => join(directory, name))
      : filesStarted(reading, directory, file);
  // one of the others would be taken in place of today's
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

/** Before anything else make brings its own files up to date, by rules that it has built in: `Makefile` from `Makefile.sh`. */
function defineRemaking(reading: Reading, path: string): void {
  reading.define(`${path}.*`);
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
      if (/^(C|directory)$/.test(option)) directory = placeFrom(directory ?? '', given);
      else file = given;
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

/** Targets, what they need and their recipes, as far as they are written plainly. Files that it includes are read with it. */
function parse(reading: Reading, text: string, directory: string): Rules {
  const made: Rules = { rules: new Map(), first: null, variables: new Map() };
  parseInto(made, reading, text, directory, deepest);
  return made;
}

/** Files that include files: deeper than anyone writes. */
const deepest = 8;

function parseInto(made: Rules, reading: Reading, text: string, directory: string, left: number): void {
  const { rules, variables } = made;
  let targets: readonly string[] = [];
  for (const written of text.replaceAll(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    const line = written.replace(/^ +/, '');
    const include = /^(?:-|s)?include\s+([^#]+)/.exec(line)?.[1];
    const variable = /^(?:export\s+|override\s+)?([\w.-]+)\s*(:{0,3}|\?|\+)=\s*(.*)$/.exec(line);
    const rule = /^([^\s#:=][^#:=]*?)\s*::?(?!=)\s*([^#;]*)(?:;(.*))?/.exec(line);
    if (line.startsWith('\t')) for (const target of targets) rules.get(target)?.recipe.push(line.slice(1));
    else if (include !== undefined)
      for (const path of included(reading, expand(include, variables), directory))
        parseInto(made, reading, left > 0 ? (reading.files.text(path) ?? '') : '', directory, left - 1);
    else if (variable !== null) setVariable(variables, variable);
    else if (rule !== null) {
      targets = wordsOf(expand(rule[1] ?? '', variables));
      for (const target of targets) {
        const known = rules.get(target) ?? { needs: [], recipe: [] };
        known.needs.push(...wordsOf(rule[2] ?? ''));
        if (rule[3] !== undefined) known.recipe.push(rule[3]);
        rules.set(target, known);
      }
      made.first ??= targets.find((target) => !/^\.[A-Z]/.test(target) && !target.includes('%')) ?? null;
    }
  }
}

/** The files that there are. Names that make works out are `unread`. */
function included(reading: Reading, text: string, directory: string): readonly string[] {
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
  const asked = goals.length > 0 ? goals : first === null ? [] : [first];
  const phony = new Set(wordsOf((rules.get('.PHONY')?.needs ?? []).map((need) => expand(need, variables)).join(' ')));
  const visit = (goal: string): void => {
    if (done.has(goal)) return;
    done.add(goal);
    const found = ruleOf(rules, goal);
    const isNamed = asked.includes(goal) || rules.has(goal);
    if (found !== null && found.recipe.length > 0 && isNamed && !phony.has(goal)) defineGoal(reading, goal, directory);
    const path = pathFrom(directory, goal);
    if (found === null && !(path !== null && reading.files.has(path))) reading.unread(`make ${goal}`);
    if (found === null) return;
    const needs = wordsOf(found.needs.map((need) => expand(need, variables)).join(' ')).filter((need) => need !== '|');
    needs.forEach(visit);
    const automatic = new Map([
      ...variables,
      ['@', goal],
      ['*', found.stem],
      ['<', needs[0] ?? ''],
      ['^', needs.join(' ')],
    ]);
    for (const line of found.recipe) reading.commands(expand(line.replace(/^[\s@+-]+/, ''), automatic), directory);
  };
  asked.forEach(visit);
}

/** A goal that is no file today: as a file or a directory it would be up to date, and its recipe left out. */
function defineGoal(reading: Reading, goal: string, directory: string): void {
  const path = /[$%*?]/.test(goal) ? null : pathFrom(directory, goal);
  if (path === null || path === '') return;
  if (reading.files.has(path) || reading.files.paths.some((one) => one.startsWith(`${path}/`))) return;
  reading.define(path);
  reading.define(`${path}/**`);
}

/** The rule of a goal: its own, or the pattern that it fits, with the stem put in. */
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

/** Variables that the file sets plainly; what is left is for the shell, or unknown to both. */
function expand(text: string, variables: ReadonlyMap<string, string>, depth = 0): string {
  if (depth > 8) return text;
  return text.replaceAll(/\$(?:\$|([@*<^])|[({]([\w.-]+|[@*<^])[)}])/g, (whole, short?: string, long?: string) => {
    const name = short ?? long;
    if (name === undefined) return '$';
    const value = name === 'MAKE' ? 'make' : name === 'SHELL' ? 'sh' : variables.get(name);
    return value === undefined ? whole : expand(value, variables, depth + 1);
  });
}
