import type { Route } from '../../src/protocol/route.ts';

/** The routes by group, as a page. */
export function routeLines(routes: Readonly<Record<string, Route>>): readonly string[] {
  const byGroup = Map.groupBy(Object.entries(routes), ([, { group }]) => group);
  return [...byGroup].flatMap(([group, members]) => [
    '',
    `## ${group}`,
    '',
    '| route | role | in the client | |',
    '|---|---|---|---|',
    ...members.map(
      ([name, { method, path, role, summary }]) =>
        `| \`${method} ${path}\` | ${role} | \`${name}\` | ${summary.replaceAll('|', '\\|')} |`,
    ),
  ]);
}
