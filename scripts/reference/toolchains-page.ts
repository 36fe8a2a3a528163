import { credentialsInside, credentialsWritten } from '../../src/domain/toolchains/hidden-files.ts';
import { type ToolchainRow, toolchainTable } from '../../src/domain/toolchains/table.ts';

/** The table of toolchains, as it is used. */
export const toolchainLines = (): readonly string[] => [
  '',
  '| manager | where | visible | never visible |',
  '|---|---|---|---|',
  ...toolchainTable.map(
    (row) =>
      `| ${row.name} | ${placeOf(row)} | ${row.shows.map(shown).join(', ')} | ${row.never.map(code).join(', ')} |`,
  ),
  '',
  'Besides, wherever a row shows an installation, these are hidden in it:',
  `${credentialsInside.map(code).join(', ')};`,
  `and, when a password or a user was written into them, ${credentialsWritten.map(({ file }) => code(file)).join(' and ')}.`,
];

const code = (text: string): string => `\`${text}\``;

function placeOf({ marker, places = [], variable, each }: ToolchainRow): string {
  if (marker !== undefined) return `any directory with ${code(marker)}`;
  const named = variable === undefined ? [] : [code(`$${variable}`)];
  const where = [...named, ...places.map(code)].join(', ');
  return each === undefined ? where : `${where}: each ${code(each)} that is used`;
}

function shown(pattern: string): string {
  if (pattern === '.') return 'programs in it';
  return pattern.startsWith('plain:')
    ? `${code(pattern.slice('plain:'.length))} while it names only tools`
    : code(pattern);
}
