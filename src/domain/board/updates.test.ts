import { expect, test } from 'vitest';
import {
  type Deliveries,
  type Delivery,
  isOwed,
  mostPending,
  pendingIn,
  trimDeliveries,
  type WebhookEvent,
  withDelivery,
  withTaken,
} from './notices.ts';

const day = (hours: number): string => new Date(Date.UTC(2026, 0, 2, hours)).toISOString();
const event = (id: string, news: WebhookEvent['news'] = 'done'): WebhookEvent => ({
  schema: 'tidegate.webhook/1',
  id,
  at: day(0),
  news,
  repository: 'shop',
  run: 'demo-ab12',
  task: null,
  kind: 'ended',
  message: 'done',
  safe: '',
  command: '',
});
const owing = (item: string, change: Partial<Delivery> = {}): Delivery => ({
  item,
  lasting: true,
  at: day(0),
  event: event(item),
  ...change,
});
const of = (...all: readonly Delivery[]): Deliveries => ({ since: day(-48), all });
const passing = (item: string, news: WebhookEvent['news']) => owing(item, { lasting: false, event: event(item, news) });

test('a lasting update is owed for a day, unless it was recorded or came before there was a webhook', () => {
  const news = { item: 'a', lasting: true, since: day(0) };
  expect(isOwed(of(), news, day(23))).toBe(true);
  expect(isOwed(of(), news, day(25))).toBe(false);
  expect(isOwed(of(owing('a')), news, day(1))).toBe(false);
  expect(isOwed(withTaken(of(owing('a')), 'a'), news, day(1))).toBe(false);
  expect(isOwed({ since: day(1), all: [] }, news, day(2))).toBe(false);
  expect(isOwed(of(), { ...news, lasting: false }, day(1))).toBe(false);
});

test('a taken delivery is remembered while it is open, or for a day if it lasts', () => {
  const taken = withTaken(withTaken(of(owing('a'), passing('b', 'needs-you')), 'a'), 'b');
  expect(trimDeliveries(taken, ['b'], day(1))).toEqual(taken);
  expect(trimDeliveries(taken, [], day(1)).all.map(({ item }) => item)).toEqual(['a']);
  expect(trimDeliveries(taken, ['b'], day(30)).all.map(({ item }) => item)).toEqual(['b']);
});

test('a failure is owed even when it is over, a request for a person is not, and nothing for more than a day', () => {
  const before = of(passing('f', 'failed'), passing('n', 'needs-you'), owing('e'));
  expect(pendingIn(trimDeliveries(before, [], day(1))).map(({ item }) => item)).toEqual(['f', 'e']);
  expect(pendingIn(trimDeliveries(before, ['f', 'n'], day(1))).map(({ item }) => item)).toEqual(['f', 'n', 'e']);
  expect(pendingIn(trimDeliveries(before, ['f', 'n'], day(25)))).toEqual([]);
});

test('the number of pending deliveries is limited', () => {
  let deliveries = of();
  for (let at = 0; at < mostPending; at += 1) deliveries = withDelivery(deliveries, owing(`i${at}`)) ?? of();
  expect(withDelivery(deliveries, owing('one more'))).toBeNull();
  expect(withDelivery(withTaken(deliveries, 'i0'), owing('one more'))?.all).toHaveLength(mostPending + 1);
});
