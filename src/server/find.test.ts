import { describe, expect, test } from 'vitest';
import { begun, hash, run } from '../../test/support/run-events.ts';
import { foldRun } from '../domain/run/run.ts';
import { noTimes } from '../view/task-view.ts';
import { findQueriedRepository, findRun } from './find.ts';
import { runHandlers } from './handlers/runs.ts';
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

describe('a start that nobody approved in time', () => {
  const expires = '2026-01-01T00:00:00.000Z';
  const opened = begun().map((event) => (event.type === 'tap-opened' ? { ...event, hash, expires } : event));
  const known = {
    run,
    times: noTimes,
    stored: opened.map((event, seq) => ({ seq, at: expires, event })),
    state: foldRun(opened.map((event, seq) => ({ seq, event }))),
  };
  const served = { repo: {}, runs: { all: async () => [known], find: async () => known } };
  const site = {
    repositories: { open: async () => served, list: async () => [{ id: 'a', present: true }] },
    now: () => new Date('2026-01-01T00:00:01.000Z'),
  } as unknown as Site;

  test('has ended for every reader, as on the command line; requests still go by the ledger', async () => {
    const found = await findRun(site, { repository: 'a', run });
    if (!found.ok) throw new Error('the run is there');
    expect([found.value.view.state.ended, found.value.state.ended]).toEqual(['rejected', null]);
    expect(await runHandlers.inbox({} as never, site)).toMatchObject({ value: { items: [] } });
    const listed = await runHandlers.runs({ params: { repository: 'a' }, query: { limit: 9 } } as never, site);
    expect(listed).toMatchObject({ value: { items: [{ run, ended: 'rejected' }] } });
  });
});
