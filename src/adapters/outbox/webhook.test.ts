import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempDisposableSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  answers,
  endless,
  type Manner,
  nobody,
  type Received,
  receiver,
  silent,
} from '../../../test/support/receiver.ts';
import type { Notice } from '../../domain/board/notices.ts';
import type { NotifyWays } from '../../domain/settings/settings.ts';
import { webhookSchema } from '../../protocol/webhook.ts';
import { webhookNotices } from './webhook.ts';

const secret = 'whsec-41c2';
const notice: Notice = {
  item: 'demo-ab12 held docs',
  lasting: false,
  news: 'needs-you',
  run: 'demo-ab12',
  kind: 'held',
  task: 'docs',
  message: 'out of scope: x',
  command: 'tidegate grant demo-ab12/docs x',
  safe: 'nothing of it was merged',
};
const done: Notice = { ...notice, item: 'demo-ab12 ended', lasting: true, news: 'done', kind: 'ended', task: null };

async function scene(ways: (url: string) => NotifyWays, url: string) {
  const directory = mkdtempDisposableSync('/tmp/tidegate-webhook-');
  /** One coordinator after the other. */
  const coordinator = (againMs = 60_000) =>
    webhookNotices({
      stateDirectory: directory.path,
      repository: '/some/where/shop',
      secret: (name) => (name === 'HOOK_SECRET' ? secret : null),
      setting: async () => ways(url),
      timeoutMs: 300,
      waits: [10, 40],
      againMs,
    });
  const read = (name: string): string => readFileSync(join(directory.path, name), 'utf8');
  return {
    notices: await coordinator(),
    coordinator,
    path: directory.path,
    kept: () => read('notices.log'),
    journal: () => read('webhooks.json'),
    [Symbol.dispose]: () => directory.remove(),
  };
}
const ids = (there: { readonly received: readonly Received[] }): readonly unknown[] =>
  there.received.map(({ headers }) => headers['tidegate-event-id']);
const signed = (webhook: string): NotifyWays => ({ webhook, secretFrom: 'HOOK_SECRET' });

test('a webhook gets one signed document, which its receiver can check with a few lines', async () => {
  await using there = await receiver();
  using at = await scene(signed, `${there.url}/hook`);
  await at.notices.send(notice);
  await at.notices.settle();
  const [received] = there.received;
  const { headers = {}, body = '' } = received ?? {};
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['tidegate-signature'])) ?? [];
  expect(v1).toBe(createHmac('sha256', secret).update(`${t}.${body}`).digest('hex'));
  expect(Math.abs(Date.now() / 1000 - Number(t))).toBeLessThan(60);
  const event = webhookSchema.strict().parse(JSON.parse(body));
  expect(event).toMatchObject({ news: 'needs-you', repository: 'shop', run: 'demo-ab12', task: 'docs', kind: 'held' });
  expect(headers['tidegate-event-id']).toBe(event.id);
  expect(body).not.toContain('/some/where');
});

test.each<[string, Manner | null, string]>([
  ['refuses the connection', null, 'cannot be reached (ECONNREFUSED)'],
  ['answers 500', answers(500), 'answered 500'],
  [
    'leads elsewhere',
    answers(307, {}, { location: 'http://127.0.0.1:9/' }),
    'answered 307; redirects are not followed',
  ],
  ['does not answer', silent, 'no answer within 0.3 s'],
])('a webhook that %s is tried three times with growing pauses, then postponed', async (_, manner, why) => {
  await using there = await receiver(manner ?? answers(200));
  using at = await scene(signed, manner === null ? await nobody() : there.url);
  await at.notices.send(notice);
  await at.notices.settle();
  expect(at.kept()).toMatch(/^webhook at 127\.0\.0\.1:\d+, demo-ab12 held docs: postponed after 3: .*\n$/);
  expect(at.kept()).toContain(why);
  if (manner === null) return;
  const [first = 0, second = 0, third = 0] = there.received.map((one) => one.at);
  expect(there.received.length).toBe(3);
  expect([second - first >= 9, third - second >= 39]).toEqual([true, true]);
  expect(new Set(there.received.map(({ headers }) => headers['tidegate-event-id'])).size).toBe(1);
});

test('a webhook that answers again in time has it once', async () => {
  await using there = await receiver((response, received, count) =>
    answers(count === 1 ? 502 : 204)(response, received, count),
  );
  using at = await scene(signed, there.url);
  await at.notices.send(notice);
  await at.notices.settle();
  expect(there.received.length).toBe(2);
  expect(at.kept).toThrow();
});

test('a webhook whose answer does not end has taken it', async () => {
  await using there = await receiver(endless);
  using at = await scene(signed, there.url);
  await at.notices.send(notice);
  await at.notices.settle();
  expect(there.received.length).toBe(1);
  expect(at.kept).toThrow();
});

test('a webhook that is gone for good gets nothing more', async () => {
  await using there = await receiver(answers(410));
  using at = await scene(signed, there.url);
  for (const one of [notice, done]) await at.notices.send(one);
  await at.notices.settle();
  expect(there.received.length).toBe(1);
  expect(at.kept()).toContain('given up after 1: answered 410');
});

test('nothing is sent unsigned that was to be signed', async () => {
  await using there = await receiver();
  using at = await scene((webhook) => ({ webhook, secretFrom: 'NOT_THERE' }), there.url);
  await at.notices.send(notice);
  await at.notices.settle();
  expect(there.received).toEqual([]);
  expect(at.kept()).toContain('NOT_THERE is not set');
});

test('a webhook gets only what it is for', async () => {
  await using there = await receiver();
  using at = await scene((webhook) => ({ webhook, on: ['done'] }), there.url);
  for (const one of [notice, done]) await at.notices.send(one);
  await at.notices.settle();
  expect(there.received.map(({ body }) => (JSON.parse(body) as { news: string }).news)).toEqual(['done']);
  expect(there.received[0]?.headers['tidegate-signature']).toBeUndefined();
});

const ended = (since: string): Notice => ({ ...done, since });
const ago = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();

test('what nobody took is brought by the next coordinator, the very same, and then by no other', async () => {
  let isUp = false;
  await using there = await receiver((response, one, count) => answers(isUp ? 200 : 503)(response, one, count));
  using at = await scene(signed, there.url);
  await at.notices.send(done);
  await at.notices.settle();
  expect(at.journal()).not.toContain(secret);
  isUp = true;
  const before = there.received.length;
  const next = await at.coordinator();
  expect(next.owed?.([ended(ago(0))])).toEqual([]);
  await next.settle();
  expect(there.received.length).toBe(before + 1);
  expect(new Set(ids(there)).size).toBe(1);
  expect(new Set(there.received.map(({ body }) => body)).size).toBe(1);
  const last = await at.coordinator();
  expect(last.owed?.([ended(ago(0))])).toEqual([]);
  await last.settle();
  expect(there.received.length).toBe(before + 1);
});

test('the end of a run that whoever saw it could not even write down is owed, for a day, and has its own name', async () => {
  await using there = await receiver();
  using at = await scene(signed, there.url);
  const journal = JSON.parse(at.journal()) as { since: string };
  writeFileSync(join(at.path, 'webhooks.json'), JSON.stringify({ ...journal, since: ago(48) }));
  const next = await at.coordinator();
  expect(next.owed?.([ended(ago(1)), { ...ended(ago(25)), item: 'old' }])).toEqual([expect.objectContaining(done)]);
  await next.send(done);
  await next.settle();
  // the journal is lost: the same item has the same name all the same
  rmSync(join(at.path, 'webhooks.json'));
  const after = await at.coordinator();
  await after.send(done);
  await after.settle();
  expect([ids(there).length, new Set(ids(there)).size]).toEqual([2, 1]);
});

test('what ended before there was a webhook is nobody’s business', async () => {
  await using there = await receiver();
  using at = await scene(signed, there.url);
  expect(at.notices.owed?.([ended(ago(1))])).toEqual([]);
});

test('what was over and comes back is another delivery; that somebody was needed is dropped when it is over', async () => {
  let isUp = true;
  await using there = await receiver((response, one, count) => answers(isUp ? 200 : 503)(response, one, count));
  using at = await scene(signed, there.url);
  await at.notices.send(notice);
  await at.notices.settle();
  const next = await at.coordinator();
  next.remember([]);
  isUp = false;
  await next.send(notice);
  await next.settle();
  expect(new Set(ids(there)).size).toBe(2);
  const sent = there.received.length;
  isUp = true;
  const last = await at.coordinator();
  expect(last.owed?.([])).toEqual([]);
  await last.settle();
  expect(there.received.length).toBe(sent);
});

test('a coordinator that lives on tries again by itself', async () => {
  await using there = await receiver((response, one, count) => answers(count <= 3 ? 500 : 200)(response, one, count));
  using at = await scene(signed, there.url);
  const living = await at.coordinator(20);
  await living.send(done);
  await there.until(4);
  await living.settle();
  expect(new Set(ids(there)).size).toBe(1);
  expect(JSON.parse(at.journal())).toMatchObject({ all: [{ item: done.item, event: null }] });
});

test('a journal that is broken owes nothing, and one that cannot be written keeps nothing from being sent', async () => {
  await using there = await receiver();
  using at = await scene(signed, there.url);
  writeFileSync(join(at.path, 'webhooks.json'), '{"since":"x","all":[{"event":{"id":5}}]}');
  const next = await at.coordinator();
  expect(next.sent()).toEqual([]);
  rmSync(join(at.path, 'webhooks.json'));
  mkdirSync(join(at.path, 'webhooks.json/in-the-way'), { recursive: true });
  await next.send(done);
  await next.settle();
  expect(there.received.length).toBe(1);
});
