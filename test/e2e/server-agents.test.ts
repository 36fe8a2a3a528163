import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rogue } from '../support/crew.ts';
import { handoff, project } from '../support/project.ts';
import { keyFileOf, serverOf } from '../support/server.ts';
import { inSnapshot, tries } from '../support/tries.ts';

/** Every way to the server that an agent with a network has: each line of its file is one try and what came of it. */
const knocking = `
import { readFileSync, writeFileSync } from 'node:fs';
import { createHmac, randomBytes } from 'node:crypto';
import { request } from 'node:http';
const { port, repository, key } = JSON.parse(readFileSync('where.json', 'utf8'));
const run = process.env.TIDEGATE_RUN;
const at = '/v1/repositories/' + repository + '/runs/' + run;
const sign = (secret, text) => createHmac('sha256', secret).update(text).digest('base64url');
const cookieOf = (secret) => 'approve.9999999999999.' + sign(secret, 'cookie approve 9999999999999');
const guessed = [Buffer.alloc(32), randomBytes(32), Buffer.from(run), Buffer.from(process.env.TIDEGATE_NONCE ?? '', 'hex'), Buffer.from(repository)];
const ours = Object.values(process.env);
const callers = {
  nobody: {},
  'dns rebinding': { host: 'evil.example:' + port },
  'a page of the server': { origin: 'http://127.0.0.1:' + port, 'sec-fetch-site': 'same-origin' },
  ...Object.fromEntries(guessed.flatMap((secret, n) => [
    ['token ' + n, { authorization: 'Bearer tg-approve-' + sign(secret, 'token approve') }],
    ['cookie ' + n, { origin: 'http://127.0.0.1:' + port, cookie: 'tidegate=' + cookieOf(secret), 'tidegate-page': sign(secret, 'page ' + cookieOf(secret)) }],
  ])),
  ...Object.fromEntries(ours.map((value, n) => ['variable ' + n, { authorization: 'Bearer ' + encodeURIComponent(value) }])),
};
const ask = (method, path, headers) => new Promise((resolve) => {
  const sent = request({ host: '127.0.0.1', port, method, path, agent: false, headers: { 'content-type': 'application/json', ...headers } }, (answer) => {
    answer.resume().once('end', () => resolve(answer.statusCode));
  });
  sent.once('error', (error) => resolve(error.code));
  sent.end(method === 'GET' ? undefined : JSON.stringify({ hash: '0'.repeat(64) }));
});
const lines = [];
const asked = [['POST', at + '/approve'], ['POST', at + '/land'], ['POST', at + '/tasks/knocks/grant'], ['GET', at], ['POST', '/v1/links'], ['GET', '/enter/' + 'A'.repeat(43)]];
for (const [who, headers] of Object.entries(callers)) for (const [method, path] of asked) lines.push([who, method, path.split('/').at(-1).slice(0, 9), await ask(method, path, headers)].join(' '));
writeFileSync('knocks.txt', lines.join('\\n') + '\\n');
`;

test('an agent with a network reaches the server and gets nothing: no token, none to be found, nothing approved', async () => {
  const looking = tries({
    key: 'cat $(sed "s/.*\\"key\\":\\"\\([^\\"]*\\).*/\\1/" where.json)',
    'key-through-init': 'cat /proc/1/root$(sed "s/.*\\"key\\":\\"\\([^\\"]*\\).*/\\1/" where.json)',
    'any-key': 'find / -xdev -path "*/server/key" -type f 2>/dev/null | grep .',
    environments: 'cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n" | grep -i "tg-approve\\|TIDEGATE_STATE_DIR"',
    processes: 'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " " | grep "serve [-]-json"',
    'token-command': 'tidegate token --role approve',
    'serve-command': 'tidegate serve --port 0',
  });
  const script = `/run/tidegate/node knock.mjs\n${looking}\n${handoff}`;
  await using scene = await project({
    files: { 'knock.mjs': knocking, 'where.json': '{}' },
    plan: {
      land: 'ask',
      limits: { attempts: 1 },
      tasks: { knocks: rogue(script, { owns: ['knocks.txt', 'tries.txt'] }) },
    },
  });
  const config = join(scene.root, 'home', '.config', 'tidegate');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'config.yaml'), 'fence: { network: on }\n');
  await using server = await serverOf(scene);
  const repositories = await server.ask('GET', '/v1/repositories', { token: server.tokens.read });
  const [{ id = '' } = {}] = (repositories.json as { readonly items: readonly { readonly id?: string }[] }).items;
  // the worst case: it knows all but the key
  scene.write('where.json', JSON.stringify({ port: server.port, repository: id, key: keyFileOf(scene) }));
  scene.git('commit', '-q', '-am', 'where it is');
  const main = scene.git('rev-parse', 'main');

  const ran = await scene.cli('run', 'plan.yaml', '--yes', '--json');
  expect(ran.code).toBe(43);
  const { run } = JSON.parse(ran.stdout) as { readonly run: string };
  const attempt = `${run}.knocks.1`;
  const knocks = inSnapshot(scene.state(), attempt, 'knocks.txt').trim().split('\n');
  expect(knocks.length).toBeGreaterThan(60);
  // 429: more than so many guesses in a second are not looked at
  expect(knocks.filter((line) => !/ (401|403|421|429)$/.test(line))).toEqual([]);
  const looked = inSnapshot(scene.state(), attempt, 'tries.txt').trim().split('\n');
  expect(looked.map((line) => line.split('\t').slice(0, 2).join(' ')).filter((line) => line.endsWith(' 0'))).toEqual(
    [],
  );
  expect(looked.length).toBe(7);

  const events = (await scene.events()).map(({ event }) => event);
  const byApi = events.filter((event) => 'by' in event && (event as { by?: { via?: string } }).by?.via === 'api');
  expect(byApi).toEqual([]);
  expect(events.filter(({ type }) => ['requested-land', 'requested-grant', 'landed'].includes(type))).toEqual([]);
  expect(scene.git('rev-parse', 'main')).toBe(main);
  const { stderr } = await server.stop();
  expect(stderr).not.toContain('fault');
  expect(JSON.stringify(events)).not.toContain(readFileSync(keyFileOf(scene), 'utf8').trim());
});
