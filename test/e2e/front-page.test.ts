import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasBrowser, pageInBrowser } from '../support/browser.ts';
import { projectWithRun, type Serving, serverOf } from '../support/server.ts';

/** A page on another port, which notes what browsers send it. */
async function neighbour() {
  const heard: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers);
    response.end('a preview');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, heard, [Symbol.dispose]: () => void server.close() };
}

test.skipIf(!hasBrowser)(
  'a browser that follows a link sees the runs, again without it, and what it sends to another port opens nothing',
  async () => {
    await using scene = await projectWithRun();
    await using server = await serverOf(scene);
    using other = await neighbour();
    const profile = mkdtempSync(join(scene.root, 'browser-'));
    const link = (await scene.cli('token', '--link')).stdout.trim();

    for (const url of [link, `${server.url}/#key=${'x'.repeat(43)}`, server.url]) {
      const page = await pageInBrowser(profile, url);
      expect(page).toContain('<b>approve</b>');
      expect(page).toContain(`<td>${scene.run}</td><td>Landed on main as `);
    }
    expect(await pageInBrowser(profile, link)).toContain('<pre>tidegate token --link</pre>');

    expect(await pageInBrowser(profile, other.url)).toContain('a preview');
    const cookie = other.heard[0]?.cookie ?? '';
    expect(cookie).toMatch(/^tidegate=approve\./);
    expect(await statusesWith(server, { cookie, origin: server.url })).toEqual([200, 401, 401, 401]);
    rmSync(profile, { recursive: true, force: true });
  },
);

const statusesWith = async (server: Serving, headers: Record<string, string>): Promise<readonly number[]> =>
  await Promise.all(
    ['/', '/v1/repositories', '/v1/inbox', '/openapi.json'].map(
      async (path) => (await server.ask('GET', path, { headers })).status,
    ),
  );
