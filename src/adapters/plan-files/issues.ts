import type { z } from 'zod';
import { nearestWord } from '../../domain/nearest-word.ts';
import type { Place, Problem } from '../../domain/plan-draft.ts';

type Issue = z.core.$ZodIssue;

/** One problem per mistake, in words of the plan. `known` are the keys that a misspelt one may have meant. */
export function problemsOf(issues: readonly Issue[], known: readonly string[], base: Place = []): readonly Problem[] {
  return issues.flatMap((issue) => {
    const place = [...base, ...issue.path] as Place;
    if (issue.code === 'invalid_union') return problemsOf(nearestBranch(issue.errors), known, place);
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(key, [...place, key], known));
    return [problemOf(issue, place)];
  });
}

function unknownKey(key: string, place: Place, known: readonly string[]): Problem {
  const meant = synonyms.get(key) ?? nearestWord(key, known);
  const closest = meant ? `did you mean \`${meant}\`?` : 'remove it';
  const fix = place.join('.') === 'taps.agents' ? 'only your own configuration may say this' : closest;
  return { rule: 'unknown-key', detail: `unknown key \`${key}\``, place, at: 'key', fix };
}

const synonyms: ReadonlyMap<string, string> = new Map([
  ['depends', 'needs'],
  ['depends_on', 'needs'],
  ['dependsOn', 'needs'],
  ['files', 'owns'],
  ['scope', 'owns'],
  ['prompt', 'do'],
  ['brief', 'do'],
  ['directive', 'do'],
  ['timeout', 'minutes'],
]);

function problemOf(issue: Issue, place: Place): Problem {
  const key = place.findLast((step) => typeof step === 'string') ?? 'the document';
  const name = typeof place.at(-1) === 'number' ? `an item of \`${key}\`` : `\`${key}\``;
  const wrong = (rule: string, detail: string, fix?: string): Problem => ({
    rule,
    detail,
    place,
    ...(fix === undefined ? {} : { fix }),
  });
  switch (issue.code) {
    case 'invalid_type': {
      const received = /received (\w+)/.exec(issue.message)?.[1] ?? 'something else';
      if (received === 'undefined') return wrong('missing-key', `${name} is missing`, `add \`${key}:\``);
      const expected = typeNames[issue.expected] ?? issue.expected;
      const detail = `${name} is ${typeNames[received] ?? received}, but must be ${expected}`;
      return wrong('wrong-type', detail, typeFix(issue.expected, received));
    }
    case 'invalid_value': {
      const choices = issue.values.map(String);
      return wrong('wrong-value', `${name} must be ${choices.length > 1 ? 'one of ' : ''}${choices.join(', ')}`);
    }
    case 'invalid_key': {
      if (!idLike(issue)) return { ...wrong('wrong-value', `${name} is not a valid key`), at: 'key' };
      return { ...wrong('bad-id', `${name} is not a task id`, idFix), at: 'key' };
    }
    case 'invalid_format': {
      const regex = 'pattern' in issue ? issue.pattern : undefined;
      if (regex === idRegex) return wrong('bad-id', `${name} is not an id`, idFix);
      if (regex === '/\\S/') return wrong('empty-text', `${name} is empty`);
      return wrong('wrong-value', `${name} is not well formed`, key === 'expires' ? durationFix : undefined);
    }
    case 'too_small':
    case 'too_big': {
      const bound = issue.message.replace(/^Too (small|big): expected \w+ to (be|have) /, '');
      return wrong('wrong-value', `${name} must ${/ to have /.test(issue.message) ? 'have' : 'be'} ${bound}`);
    }
    default:
      return wrong('wrong-value', `${name}: ${issue.message}`);
  }
}

function typeFix(expected: string, received: string): string | undefined {
  if (expected === 'string' && /number|boolean|null/.test(received)) return 'put it in quotes';
  return expected === 'array' && received === 'string' ? 'put it in `[ ]`' : undefined;
}

/** The branch that the writer most likely meant: one that fails deeper than at its own type. */
function nearestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const deeper = branches.find((issues) => !issues.some((issue) => issue.path.length === 0 && isShallow(issue)));
  if (deeper) return deeper;
  const choice = branches.find((issues) => issues.some((issue) => issue.code === 'invalid_value'));
  if (choice && branches.every((issues) => !issues.some(isCollection))) return choice;
  const types = branches.flatMap((issues) =>
    issues.flatMap((issue) => (issue.code === 'invalid_type' ? [typeNames[issue.expected] ?? issue.expected] : [])),
  );
  const [first] = branches.flat().filter((issue) => issue.code === 'invalid_type');
  if (choice && !first) return choice;
  if (first === undefined) return branches[0] ?? [];
  const message = choice?.[0]?.message.includes('expected one of') ? choice[0] : null;
  if (message && /received string/.test(first.message)) return [message];
  return [{ ...first, expected: [...new Set(types)].join(' or ') as typeof first.expected }];
}

const isShallow = (issue: Issue): boolean => issue.code === 'invalid_type' || issue.code === 'invalid_value';
const isCollection = (issue: Issue): boolean =>
  issue.code === 'invalid_type' && ['array', 'object', 'record'].includes(issue.expected);
const idLike = (issue: Extract<Issue, { code: 'invalid_key' }>): boolean =>
  issue.issues.some((inner) => inner.code === 'invalid_format' && 'pattern' in inner && inner.pattern === idRegex);

const idRegex = '/^[a-z0-9][a-z0-9-]{0,63}$/';
const durationFix = 'write it as `30m`, `24h` or `7d`';
const idFix = 'lower-case letters, digits and `-`, at most 64, beginning with a letter or digit';
const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  null: 'empty',
};
