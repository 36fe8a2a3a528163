import { expect, test } from 'vitest';
import { begun, type Deliveries, type Delivery, isOwed, kept, mostOwed, owedIn, settled } from './deliveries.ts';
import type { WebhookEvent } from './notices.ts';

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

test('what lasts is owed for a day after it came, unless it was begun or came before there was a webhook', () => {
  const news = { item: 'a', lasting: true, since: day(0) };
  expect(isOwed(of(), news, day(23))).toBe(true);
  expect(isOwed(of(), news, day(25))).toBe(false);
  expect(isOwed(of(owing('a')), news, day(1))).toBe(false);
  expect(isOwed(settled(of(owing('a')), 'a'), news, day(1))).toBe(false);
  expect(isOwed({ since: day(1), all: [] }, news, day(2))).toBe(false);
  expect(isOwed(of(), { ...news, lasting: false }, day(1))).toBe(false);
});

test('what was taken is known while it is open, or for a day if it lasts', () => {
  const taken = settled(settled(of(owing('a'), passing('b', 'needs-you')), 'a'), 'b');
  expect(kept(taken, ['b'], day(1))).toEqual(taken);
  expect(kept(taken, [], day(1)).all.map(({ item }) => item)).toEqual(['a']);
  expect(kept(taken, ['b'], day(30)).all.map(({ item }) => item)).toEqual(['b']);
});

test('that something failed is owed also when it is over; that somebody is needed is not; nothing is for more than a day', () => {
  const before = of(passing('f', 'failed'), passing('n', 'needs-you'), owing('e'));
  expect(owedIn(kept(before, [], day(1))).map(({ item }) => item)).toEqual(['f', 'e']);
  expect(owedIn(kept(before, ['f', 'n'], day(1))).map(({ item }) => item)).toEqual(['f', 'n', 'e']);
  expect(owedIn(kept(before, ['f', 'n'], day(25)))).toEqual([]);
});

test('there is an end to what is owed at one time', () => {
  let deliveries = of();
  for (let at = 0; at < mostOwed; at += 1) deliveries = begun(deliveries, owing(`i${at}`)) ?? of();
  expect(begun(deliveries, owing('one more'))).toBeNull();
  expect(begun(settled(deliveries, 'i0'), owing('one more'))?.all).toHaveLength(mostOwed + 1);
});
