import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { references } from '../scripts/reference/references.ts';
import { unionMembers } from '../scripts/reference/union-members.ts';

test('docs/reference is what the code says: npm run reference', async () => {
  const pages = await references();
  expect(readdirSync('docs/reference').sort()).toEqual(Object.keys(pages).sort());
  for (const [name, text] of Object.entries(pages)) expect(readFileSync(`docs/reference/${name}`, 'utf8')).toBe(text);
});

test('no event is left out of the reference', () => {
  const source = readFileSync('src/domain/events.ts', 'utf8');
  const named = ['RequestEvent', 'RunEvent', 'RepoEvent'].flatMap((union) =>
    unionMembers(source, union).flatMap(({ names }) => names),
  );
  const written = [...source.matchAll(/readonly type:((?:\s*\|?\s*'[a-z-]+')+)/g)].flatMap(([, types]) =>
    [...(types ?? '').matchAll(/'([a-z-]+)'/g)].map((found) => found[1]),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(new Set(named)).toEqual(new Set(written));
});
