import { describe, expect, test } from 'vitest';
import { findQueriedRepository } from './find.ts';
import type { ServedRepository, Site } from './site.ts';

/** A site with these repositories, of which nothing but the name is looked at. */
function siteOf(home: string | null, ...ids: readonly string[]): Site {
  const repositories = {
    home,
    list: async () => ids.map((id) => ({ id, checkout: `/${id}`, present: true })),
    open: async (id: string) => (ids.includes(id) ? ({ id } as ServedRepository) : null),
  };
  return { repositories } as unknown as Site;
}
const meant = async (site: Site, repository?: string) => {
  const found = await findQueriedRepository(site, { repository });
  return found.ok ? found.value.id : found.error;
};

describe('a path of DCM, which names no repository, is about', () => {
  test('the one that is asked for, before all others', async () => {
    expect(await meant(siteOf('a', 'a', 'b'), 'b')).toBe('b');
    expect(await meant(siteOf('a', 'a'), 'c')).toMatchObject({ status: 404 });
  });
  test('the one that the server was started in', async () => {
    expect(await meant(siteOf('a', 'a', 'b'))).toBe('a');
  });
  test('the only one there is', async () => {
    expect(await meant(siteOf(null, 'b'))).toBe('b');
  });
  test('none of several: they are named, and nothing is guessed', async () => {
    expect(await meant(siteOf(null, 'a', 'b'))).toMatchObject({
      status: 409,
      type: 'tidegate:which-repository',
      detail: 'there are several repositories: a, b',
      next: 'name one: ?repository=a',
    });
    expect(await meant(siteOf(null))).toMatchObject({ status: 409 });
  });
});
