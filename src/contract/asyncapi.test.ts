import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { clientMessages, serverMessages } from '../protocol/envelope.ts';
import { derivedEvents, eventTypes } from '../protocol/event-types.ts';
import { asyncApi } from './asyncapi.ts';

const document = asyncApi('1.2.3');

test('the document of the events has nothing that a linter objects to', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer} ${message}`)).toEqual([]);
});

test('a linter would object to a document that is wrong', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const { channels: _, ...rest } = document;
  const wrong = { ...rest, channels: { stream: { adress: '/v1/stream' } } };
  expect(await lintFromString({ source: JSON.stringify(wrong), config })).not.toEqual([]);
});

test('it has every type of event, and every message beside them', () => {
  const names = [eventTypes, derivedEvents, clientMessages, serverMessages].flatMap(Object.keys);
  expect(Object.keys(document.components.messages).toSorted()).toEqual(names.toSorted());
  expect(Object.keys(document.channels.stream.messages).toSorted()).toEqual(names.toSorted());
});
