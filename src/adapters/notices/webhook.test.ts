import { createHmac } from 'node:crypto';
import { mkdtempDisposableSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answers, endless, type Manner, nobody, receiver, silent } from '../../../test/support/receiver.ts';
import type { Notice } from '../../domain/notices.ts';
import type { NotifyWays } from '../../domain/settings.ts';
import { webhookSchema } from '../../protocol/webhook.ts';
import { personsNotices } from './index.ts';

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

function scene(ways: (url: string) => NotifyWays, url: string) {
  const directory = mkdtempDisposableSync('/tmp/tidegate-webhook-');
  let bells = 0;
  const notices = personsNotices({
    stateDirectory: directory.path,
    repository: '/some/where/shop',
    env: { PATH: '/nonexistent' },
    secret: (name) => (name === 'HOOK_SECRET' ? secret : null),
    setting: async () => ways(url),
    bell: () => {
      bells += 1;
    },
    timeoutMs: 300,
    waits: [10, 40],
  });
  const kept = (): string => readFileSync(join(directory.path, 'notices.log'), 'utf8');
  return { notices, kept, bells: () => bells, [Symbol.dispose]: () => directory.remove() };
}
const signed = (webhook: string): NotifyWays => ({ webhook, secretFrom: 'HOOK_SECRET' });

test('a webhook gets one signed document, which its receiver can check with a few lines', async () => {
  await using there = await receiver();
  using at = scene(signed, `${there.url}/hook`);
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
  expect(at.bells()).toBe(1);
});

test.each<[string, Manner | null, string]>([
  ['refuses the connection', null, 'cannot be reached (ECONNREFUSED)'],
  ['answers 500', answers(500), 'answered 500'],
  [
    'leads elsewhere',
    answers(307, {}, { location: 'http://127.0.0.1:9/' }),
    'answered 307: redirects are not followed',
  ],
  ['does not answer', silent, 'no answer within 0.3 s'],
])('a webhook that %s is tried three times with growing pauses, then given up', async (_, manner, why) => {
  await using there = await receiver(manner ?? answers(200));
  using at = scene(signed, manner === null ? await nobody() : there.url);
  await at.notices.send(notice);
  await at.notices.settle();
  expect(at.kept()).toMatch(/^webhook at 127\.0\.0\.1:\d+, demo-ab12 held docs: given up after 3: .*\n$/);
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
  using at = scene(signed, there.url);
  await at.notices.send(notice);
  await at.notices.settle();
  expect(there.received.length).toBe(2);
  expect(at.kept).toThrow();
});

test('a webhook whose answer does not end has taken it', async () => {
  await using there = await receiver(endless);
  using at = scene(signed, there.url);
  await at.notices.send(notice);
  await at.notices.settle();
  expect(there.received.length).toBe(1);
  expect(at.kept).toThrow();
});

test('a webhook that is gone for good gets nothing more', async () => {
  await using there = await receiver(answers(410));
  using at = scene(signed, there.url);
  for (const one of [notice, done]) await at.notices.send(one);
  await at.notices.settle();
  expect(there.received.length).toBe(1);
  expect(at.kept()).toContain('given up after 1: answered 410');
});

test('nothing is sent unsigned that was to be signed', async () => {
  await using there = await receiver();
  using at = scene((webhook) => ({ webhook, secretFrom: 'NOT_THERE' }), there.url);
  await at.notices.send(notice);
  await at.notices.settle();
  expect(there.received).toEqual([]);
  expect(at.kept()).toContain('NOT_THERE is not set');
});

test('a webhook gets only what it is for, and the end of a run rings no bell', async () => {
  await using there = await receiver();
  using at = scene((webhook) => ({ webhook, on: ['done'] }), there.url);
  for (const one of [notice, done]) await at.notices.send(one);
  await at.notices.settle();
  expect(there.received.map(({ body }) => (JSON.parse(body) as { news: string }).news)).toEqual(['done']);
  expect(there.received[0]?.headers['tidegate-signature']).toBeUndefined();
  expect(at.bells()).toBe(1);
});
