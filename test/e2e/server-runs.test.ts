import { renameSync } from 'node:fs';
import { expect, test } from 'vitest';
import { routes } from '../../src/contract/routes.ts';
import type { Route } from '../../src/protocol/route.ts';
import { handoff, project, scripted } from '../support/project.ts';
import { type Answered, projectWithRun, type Serving, serverOf, smallPlan } from '../support/server.ts';
import { untilEvent } from '../support/until-event.ts';

type Json = Readonly<Record<string, unknown>>;

/** The one repository that the server was started in. */
async function homeOf(server: Serving): Promise<string> {
  const { json } = await server.ask('GET', '/v1/server', { token: server.tokens.read });
  return (json as { readonly home: string }).home;
}

const filled = (route: Route, values: Readonly<Record<string, string>>): string =>
  route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name);

test('every resource of a landed run answers, as the contract says, now and at any event', async () => {
  await using scene = await projectWithRun();
  await using server = await serverOf(scene);
  const [repository, token] = [await homeOf(server), server.tokens.read];
  const get = (path: string): Promise<Answered> => server.ask('GET', path, { token });
  const values = { repository, run: scene.run, task: 'one', wave: '0', attempt: '1' };
  const shown = Object.values(routes as Readonly<Record<string, Route>>).filter(
    ({ method, path, answer }) => method === 'GET' && path.startsWith('/v1/') && 'schema' in answer,
  );
  const statuses = await Promise.all(
    shown.map(async (route) => [route.path, (await get(filled(route, values))).status]),
  );
  expect(statuses.filter(([path, status]) => status !== 200 && !String(path).includes('{record}'))).toEqual([]);

  const base = `/v1/repositories/${repository}`;
  const { seq: last } = (await get(`${base}/head`)).json as { readonly seq: number };
  const now = (await get(`${base}/runs/${scene.run}`)).json as Json;
  expect(now).toMatchObject({ run: scene.run, ended: 'landed', waits: [] });
  expect((await get(`${base}/runs/${scene.run}?at=${last}`)).json).toEqual(now);
  const ended: unknown[] = [];
  for (let at = 1; at <= last; at += 1) {
    const then = await get(`${base}/runs/${scene.run}?at=${at}`);
    ended.push(then.status === 404 ? 'not yet' : (then.json as Json)['ended']);
  }
  // first not there, then open, then landed: never back
  expect([...new Set(ended)]).toEqual(['not yet', null, 'landed']);
  expect(ended.toSorted((a, b) => order(a) - order(b))).toEqual(ended);

  for (const path of ['runs', 'events', `runs/${scene.run}`, `runs/${scene.run}/events`, `runs/${scene.run}/tasks/one`])
    expect(await get(`${base}/${path}?at=${last + 1}`)).toMatchObject({
      status: 404,
      json: { type: 'tidegate:not-yet', field: 'query.at' },
    });

  const pages: Json[] = [];
  for (let cursor = ''; ; ) {
    const { items, next } = (await get(`${base}/events?limit=7${cursor}`)).json as {
      items: Json[];
      next: string | null;
    };
    pages.push(...items);
    if (next === null) break;
    cursor = `&cursor=${next}`;
  }
  expect(pages.map(({ seq }) => seq)).toEqual(Array.from({ length: last }, (_, at) => at + 1));
  expect((await get(`${base}/runs?cursor=nobody`)).status).toBe(410);
  const listed = async () => ((await get(`${base}/runs`)).json as { readonly items: readonly Json[] }).items;
  expect(await listed()).toMatchObject([
    { ended: 'landed', landing: 'landed', outcome: expect.stringMatching(/^Landed on main as /) },
  ]);
  expect((await scene.cli('undo', '--yes', scene.run)).code).toBe(0);
  expect(await listed()).toMatchObject([
    { ended: 'landed', landing: 'undone', outcome: expect.stringMatching(/^Undone: main is at /) },
  ]);
});

const order = (state: unknown): number => ['not yet', null, 'landed'].indexOf(state as string);

test('what an agent printed can be had whole, in part, and by its tail', async () => {
  const text = 'first line\nsecond line\nthe end\n';
  const talks = scripted(`printf 'first line\\nsecond line\\nthe end\\n'; ${handoff}`, { owns: [] });
  await using scene = await projectWithRun({ name: 'talk', tasks: { one: talks } });
  await using server = await serverOf(scene);
  const path = `/v1/repositories/${await homeOf(server)}/runs/${scene.run}/tasks/one/attempts/1/log`;
  const get = (range: string) =>
    server.ask('GET', path, { token: server.tokens.read, headers: range === '' ? {} : { range } });
  const whole = await get('');
  expect([whole.status, whole.text.startsWith(text)]).toEqual([200, true]);
  const part = await get('bytes=6-9');
  expect([part.status, part.text, part.headers['content-range']]).toEqual([
    206,
    'line',
    `bytes 6-9/${whole.text.length}`,
  ]);
  expect((await get('bytes=-4')).text).toBe(whole.text.slice(-4));
  expect((await get('bytes=999999-')).status).toBe(416);
});

test('a run is ordered, approved and landed by requests alone, and a key asks once', async () => {
  await using scene = await project({ plan: smallPlan });
  await using server = await serverOf(scene);
  const base = `/v1/repositories/${await homeOf(server)}/runs`;
  const post = (path: string, body: unknown, key: string, token = server.tokens.approve): Promise<Answered> =>
    server.ask('POST', path, { token, body, headers: { 'idempotency-key': key } });
  const asked = { planFile: 'plan.yaml' };
  const [first, again] = await Promise.all([post(base, asked, 'k1'), post(base, asked, 'k1')]);
  expect([first.status, again.json]).toEqual([202, first.json]);
  expect((await post(base, { tasks: [['something else']], agent: 'command' }, 'k1')).status).toBe(422);
  const { run, hash } = first.json as { readonly run: string; readonly hash: string };

  await untilEvent(scene, (event) => event.type === 'tap-opened' && event.tap === 'start');
  expect((await post(`${base}/${run}/approve`, { hash }, 'k2', server.tokens.operate)).status).toBe(403);
  expect((await post(`${base}/${run}/approve`, { hash: 'deadbeef' }, 'k2')).status).toBe(409);
  const approved = await Promise.all([1, 2, 3].map(() => post(`${base}/${run}/approve`, { hash }, 'k2')));
  expect(new Set(approved.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(approved[0]?.status).toBe(202);
  await untilEvent(scene, (event) => event.type === 'tap-opened' && event.tap === 'land');
  expect((await post(`${base}/${run}/land`, { only: ['nobody'] }, 'k3')).json).toMatchObject({
    status: 422,
    field: 'body',
  });
  expect((await post(`${base}/${run}/land`, {}, 'k4')).status).toBe(202);
  await untilEvent(scene, (event) => event.type === 'run-ended');
  expect(scene.git('show', 'main:one.txt')).toBe('one');
  const events = await scene.events();
  const decided = events.filter(({ event }) => event.type === 'requested-approve');
  expect(decided.map(({ event }) => ('by' in event ? event.by.via : null))).toEqual(['api']);
  // refused as things stand, without leaving a request behind
  expect((await post(`${base}/${run}/pause`, {}, 'k5')).json).toMatchObject({ status: 409, type: 'tidegate:refused' });
  expect(await scene.events()).toHaveLength(events.length);
});

test('a plan with mistakes is told by lint in full and leaves nothing', async () => {
  await using scene = await project({ plan: smallPlan });
  await using server = await serverOf(scene);
  const base = `/v1/repositories/${await homeOf(server)}`;
  const plan = 'tasks:\n  one:\n    do: ""\n    ownz: [a]\n';
  const linted = await server.ask('POST', `${base}/plans/lint`, { token: server.tokens.read, body: { plan } });
  const { ok, findings } = linted.json as {
    readonly ok: boolean;
    readonly findings: readonly { readonly where: string }[];
  };
  expect([ok, findings.length]).toEqual([false, 2]);
  const sound = 'checks: [{ name: t, run: sh check.sh }]\ntasks: { one: { do: x, agent: command, command: [a] } }\n';
  for (const what of ['lint', 'dry-run']) {
    const told = await server.ask('POST', `${base}/plans/${what}`, {
      token: server.tokens.read,
      body: { plan: sound },
    });
    expect(told.json).toMatchObject({
      checks: [{ name: 't', definitions: [{ path: 'check.sh' }, { path: 'tidegate.yaml' }] }],
    });
  }
  const ordered = await server.ask('POST', `${base}/runs`, { token: server.tokens.operate, body: { plan } });
  expect(ordered.json).toMatchObject({ status: 422, type: 'tidegate:plan-invalid', field: 'body' });
  const outside = { planFile: '../../etc/passwd' };
  expect(
    (await server.ask('POST', `${base}/runs`, { token: server.tokens.operate, body: outside })).json,
  ).toMatchObject({
    field: 'body.planFile',
  });
  expect((await server.ask('GET', `${base}/runs`, { token: server.tokens.read })).json).toEqual({
    items: [],
    next: null,
  });
});

test('one server shows every repository of the person, and one that is gone does not hide the others', async () => {
  await using gone = await project({ plan: smallPlan });
  await using scene = await project({
    plan: smallPlan,
    env: { TIDEGATE_STATE_DIR: gone.environment.TIDEGATE_STATE_DIR },
  });
  await gone.cli('run', 'plan.yaml', '--detach');
  await scene.cli('run', 'plan.yaml', '--detach');
  await using server = await serverOf(scene);
  const get = async (path: string): Promise<Json> =>
    (await server.ask('GET', path, { token: server.tokens.read })).json as Json;
  const waiting = async (): Promise<number> => ((await get('/v1/inbox'))['items'] as unknown[]).length;
  expect(await waiting()).toBe(2);
  renameSync(gone.checkout, `${gone.checkout}.away`);
  const { items } = (await get('/v1/repositories')) as { readonly items: readonly Json[] };
  expect(items.map(({ present, home }) => [present, home]).toSorted()).toEqual([
    [false, false],
    [true, true],
  ]);
  expect(await waiting()).toBe(1);
  renameSync(`${gone.checkout}.away`, gone.checkout);
});
