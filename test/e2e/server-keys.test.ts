import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { accessRoles } from '../../src/protocol/route.ts';
import { project } from '../support/project.ts';
import { type Asked, keyFileOf, serverOf, smallPlan } from '../support/server.ts';
import { socketOf } from '../support/streaming.ts';
import { filesWith } from '../support/tries.ts';

type Listed = { readonly items: readonly { readonly id: string }[] };

test('the key is made once for its owner alone, and refused when it is open, linked or no key', async () => {
  await using scene = await project({ plan: smallPlan });
  const first = await scene.cli('token');
  const file = keyFileOf(scene);
  expect(first.stdout).toMatch(/^tg-read-[\w-]{43}\n$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
  expect(Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url').length).toBe(32);

  const refused = async (why: RegExp): Promise<void> => {
    const [token, serve] = [await scene.cli('token'), await scene.cli('serve', '--port', '0')];
    for (const { code, stdout, stderr } of [token, serve]) {
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(why);
      expect(stderr).not.toMatch(/\n\s+at /);
    }
  };
  chmodSync(file, 0o640);
  await refused(/others can read .*key; renew it: tidegate token --renew/);
  chmodSync(file, 0o600);
  renameSync(file, `${file}.real`);
  symlinkSync(`${file}.real`, file);
  await refused(/is a link; renew it/);

  const renewed = await scene.cli('token', '--renew', '--json');
  const { token } = JSON.parse(renewed.stdout) as { readonly token: string };
  expect(token).not.toBe(first.stdout.trim());
  expect((await scene.cli('token')).stdout.trim()).toBe(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a link lets a browser decide, so one that is only to look gets none', async () => {
  await using scene = await project({ plan: smallPlan });
  expect(await scene.cli('token', '--link', '--role', 'read')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'tidegate: token: a link gives the role approve, not read\n',
  });
});

test('an agent gets tokens to look and to operate, as it has the commands; none to decide, no link, no new key', async () => {
  await using scene = await project({ plan: smallPlan, env: { CLAUDECODE: '1' } });
  const of = async (...args: string[]) => {
    const { code, stdout, stderr } = await scene.cli('token', ...args);
    return { code, given: /tg-\w+-[\w-]{43}|\/enter\//.exec(`${stdout}${stderr}`)?.[0]?.split('-')[1] ?? null };
  };
  expect(await of()).toEqual({ code: 0, given: 'read' });
  expect(await of('--role', 'operate')).toEqual({ code: 0, given: 'operate' });
  const key = readFileSync(keyFileOf(scene), 'utf8');
  for (const args of [['--role', 'approve', '--curl'], ['--role', 'read', '--renew'], ['--link']])
    expect(await of(...args)).toEqual({ code: 43, given: null });
  expect(readFileSync(keyFileOf(scene), 'utf8')).toBe(key);
});

test('a server for other machines needs TLS and a name; without either nothing listens', async () => {
  await using scene = await project({ plan: smallPlan });
  const addresses = ['0.0.0.0', '::ffff:127.0.0.1', 'localhost'];
  for (const host of addresses) {
    const { code, stdout, stderr } = await scene.cli('serve', '--port', '0', '--host', host);
    expect(`${host} ${code} ${stdout}`).toBe(`${host} 2 `);
    expect(stderr).toMatch(/TLS|IP address/);
  }
});

test('with a certificate it answers over TLS only, under its names, with a cookie that never goes in the clear', async () => {
  await using scene = await project({ plan: smallPlan });
  const [cert, key] = [join(scene.root, 'cert.pem'), join(scene.root, 'key.pem')];
  try {
    const subject = ['-subj', '/CN=tide.example', '-addext', 'subjectAltName=DNS:tide.example'];
    const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    execFileSync('openssl', [...made, '-keyout', key, '-out', cert, ...subject], { stdio: 'pipe' });
  } catch (error) {
    console.log(`not tested: openssl made no certificate (${String(error)})`);
    return;
  }
  writeFileSync(join(scene.root, 'broken.pem'), 'no key\n');
  const files = ['--tls-cert', cert, '--tls-key'];
  const broken = await scene.cli('serve', '--port', '0', ...files, join(scene.root, 'broken.pem'));
  expect([broken.code, broken.stdout]).toEqual([1, '']);
  expect(broken.stderr).toMatch(/cannot use/);
  const nameless = await scene.cli('serve', '--port', '0', '--host', '0.0.0.0', ...files, key);
  expect([nameless.code, nameless.stderr]).toEqual([2, expect.stringMatching(/--name/)]);

  const args = ['--port', '0', '--host', '0.0.0.0', '--name', 'tide.example', ...files, key];
  await using server = await serverOf(scene, { args });
  expect(server.url).toBe(`https://tide.example:${server.port}`);
  const ask = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { host, authorization: `Bearer ${server.tokens.read}` };
      const to = { host: '127.0.0.1', port: server.port, path: '/v1/repositories', headers, agent: false as const };
      tlsRequest({ ...to, servername: 'tide.example', ca: readFileSync(cert) }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      })
        .once('error', reject)
        .end();
    });
  expect(await ask(`tide.example:${server.port}`)).toBe(200);
  expect(await ask(`127.0.0.1:${server.port}`)).toBe(200);
  expect(await ask(`0.0.0.0:${server.port}`)).toBe(421);
  expect(await ask(`evil.example:${server.port}`)).toBe(421);
  expect(await server.raw(`GET / HTTP/1.1\r\nHost: ${server.host}\r\n\r\n`)).not.toContain('HTTP/1.1 2');
});

test('a socket is for its owner alone, and gone with the server', async () => {
  await using scene = await project({ plan: smallPlan });
  const path = join(scene.root, 'api.sock');
  const server = await serverOf(scene, { args: ['--socket', path] });
  try {
    expect(server.url).toBe(`unix:${path}`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const ask = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        plainRequest({ socketPath: path, path: '/v1/repositories', headers }, (response) => {
          response.resume().once('end', () => resolve(response.statusCode));
        })
          .once('error', reject)
          .end();
      });
    const authorization = `Bearer ${server.tokens.read}`;
    expect(await ask({ host: 'localhost', authorization })).toBe(200);
    expect(await ask({ host: 'localhost' })).toBe(401);
    expect(await ask({ host: 'evil.example', authorization })).toBe(421);
  } finally {
    await server.stop();
  }
  expect(existsSync(path)).toBe(false);
});

test('a socket that a killed server left is taken over, and a file in its place is not', async () => {
  await using scene = await project({ plan: smallPlan });
  const path = join(scene.root, 'api.sock');
  const killed = await serverOf(scene, { args: ['--socket', path] });
  const over = new Promise((resolve) => killed.child.once('close', resolve));
  killed.child.kill('SIGKILL');
  await over;
  expect(statSync(path).isSocket()).toBe(true);
  const next = await serverOf(scene, { args: ['--socket', path] });
  expect(next.url).toBe(`unix:${path}`);
  await next.stop();
  writeFileSync(path, 'mine');
  const refused = await scene.cli('serve', '--socket', path);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is in use')]);
  expect(readFileSync(path, 'utf8')).toBe('mine');
});

test('a server that runs goes by a new key at once: streams, tokens, cookies and links of before are void', async () => {
  await using scene = await project({ plan: smallPlan });
  await using server = await serverOf(scene);
  const place = { port: server.port, token: server.tokens.read };
  const socket = await socketOf(place);
  const { items } = (await server.ask('GET', '/v1/repositories', { token: server.tokens.read })).json as Listed;
  const stream = await fetch(`${server.url}/v1/repositories/${items[0]?.id}/events/stream`, {
    headers: { authorization: `Bearer ${server.tokens.read}` },
  });
  expect(stream.status).toBe(200);
  const link = (await scene.cli('token', '--link')).stdout.trim();
  expect(link).toContain('/enter/');

  const renewed = await scene.cli('token', '--renew');
  expect([renewed.code, renewed.stderr]).toEqual([0, '']);
  await socket.over;
  await stream.text().catch(() => 'cut');
  const statusOf = async (asked: Asked) => (await server.ask('GET', '/v1/repositories', asked)).status;
  expect(await statusOf({ token: renewed.stdout.trim() })).toBe(200);
  expect(await statusOf({ token: server.tokens.read })).toBe(401);
  expect(await statusOf({ headers: server.entered('approve') })).toBe(401);
  expect((await server.ask('GET', new URL(link).pathname)).status).toBe(401);
});

test('a key that others can read lets nobody in from then on, until it is renewed', async () => {
  await using scene = await project({ plan: smallPlan });
  await using server = await serverOf(scene);
  const told = once(server.child.stderr as Readable, 'data');
  chmodSync(keyFileOf(scene), 0o644);
  expect(String((await told)[0])).toMatch(/others can read .*; until then every request is refused/);
  expect((await server.ask('GET', '/v1/server', { token: server.tokens.approve })).status).toBe(401);
  const token = (await scene.cli('token', '--renew')).stdout.trim();
  expect((await server.ask('GET', '/v1/server', { token })).status).toBe(200);
});

test('no token, cookie or key is in an answer, a log, the ledger or a file but the key itself', async () => {
  await using scene = await project({ plan: smallPlan });
  await using server = await serverOf(scene);
  const entered = server.entered('approve');
  const keys = [entered.cookie.slice('tidegate='.length), entered['tidegate-page']];
  const secrets = [...accessRoles.map((role) => server.tokens[role]), ...keys, server.secret.toString('base64url')];
  const answers = await Promise.all([
    ...accessRoles.map((role) => server.ask('GET', '/v1/repositories', { token: server.tokens[role] })),
    ...accessRoles.map((role) =>
      server.ask('POST', `/v1/${server.tokens[role]}`, { token: server.tokens[role], body: {} }),
    ),
    server.ask('GET', `/v1/repositories?cursor=${server.tokens.read}`, { token: `${server.tokens.read}x` }),
    server.ask('GET', '/v1/repositories', { headers: entered }),
    server.ask('GET', '/v1/repositories/none', { headers: { ...entered, cookie: `${entered.cookie}x` } }),
  ]);
  const said = JSON.stringify(answers.map(({ headers, text }) => [headers, text]));
  const { stdout, stderr } = await server.stop();
  expect(secrets.filter((one) => `${said}${stdout}${stderr}`.includes(one))).toEqual([]);
  expect(filesWith(scene.root, secrets).map((one) => one.split(':')[0])).toEqual([keyFileOf(scene)]);
});
