import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommitId } from '../../../domain/base/ids.ts';
import type { Finding } from '../../../domain/findings/finding.ts';
import { secretSpans } from '../../../domain/secrets/secret-shapes.ts';
import { objectId, runGit } from '../process/index.ts';

/** Larger files are read by the merger, which refuses them too. */
const largest = 20_000_000;

/** What in these files of a checkout looks like a secret and is not in the commit as well. Names of rules come out, never what matched. */
export async function secretsInCheckout(
  checkout: string,
  paths: readonly string[],
  before: CommitId,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const path of paths) {
    const found = matchesIn(contentOf(join(checkout, path)));
    if (found.size === 0) continue;
    const old = await runGit({ cwd: checkout, args: ['cat-file', 'blob', `${objectId(before)}:${path}`] });
    const known = matchesIn(old.exitCode === 0 ? old.stdout.toString('latin1') : '');
    const shapes = new Set([...found].flatMap(([match, shape]) => (known.has(match) ? [] : [shape])));
    for (const shape of shapes) findings.push({ rule: 'uncommitted-secret', shape, where: path });
  }
  return findings;
}

function contentOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size <= largest ? readFileSync(path, 'latin1') : '';
}

const matchesIn = (text: string): ReadonlyMap<string, string> =>
  new Map(secretSpans(text).map(({ rule, from, to }) => [text.slice(from, to), rule]));
