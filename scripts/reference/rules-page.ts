import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const domain = new URL('../../src/domain/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, domain), 'utf8');

/** Every rule of a finding by its area, with how its sentence begins; facts stand between angle brackets. */
export function ruleLines(): readonly string[] {
  const areas = globSync('explain/*/*-sentences.ts', { cwd: domain })
    .map((file) => ({ file, area: basename(file, '-sentences.ts') }))
    .toSorted((a, b) => (a.area < b.area ? -1 : 1));
  return areas.flatMap(({ file, area }) => {
    const tables = read(file).matchAll(/^export const \w+Sentences[^\n]*\{\n([\s\S]*?)^\};/gm);
    const table = [...tables].map((match) => match[1]).join('');
    const entries = table.split(/^ {2}(?='?[a-z][a-z0-9-]*'?: )/m).slice(1);
    return [
      '',
      `## ${area.charAt(0).toUpperCase()}${area.slice(1)}`,
      '',
      '| rule | sentence |',
      '|---|---|',
      ...entries.map((entry) => `| \`${nameOf(entry)}\` | ${sentenceIn(entry)} |`),
    ];
  });
}

const nameOf = (entry: string): string => /^'?([a-z][a-z0-9-]*)/.exec(entry)?.[1] ?? '';

/** The first sentence of the entry: a text with a space, because one without is a value that a fact is compared with. */
function sentenceIn(entry: string): string {
  const text =
    /=>[\s\S]*?(?:detail:\s*)?(?:'((?:[^'\\\n ]|\\.)+ (?:[^'\\\n]|\\.)*)'|`((?:[^`\\ ]|\\.)+ (?:[^`\\]|\\.)*)`)/.exec(
      entry,
    );
  const shown = (text?.[1] ?? text?.[2] ?? '')
    .replaceAll(/\$\{[^}]*?\b(\w+)\b[^}]*\}/g, '‹$1›')
    .replaceAll('\\`', '`')
    .replaceAll('|', '\\|')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return shown.includes('${') || !/[a-z]{2}/.test(shown) ? '' : shown;
}
