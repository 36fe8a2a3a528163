import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  commentViolations,
  goldenFile,
  goldenText,
  type Text,
  textsOf,
  wordingViolations,
} from '../scripts/strings.ts';

const { strings, comments } = textsOf();

test('every string that a person may read is in the golden file, so that a review shows each changed word', () => {
  // After a change of words: npm run strings -- --write
  expect(goldenText(strings)).toBe(readFileSync(goldenFile, 'utf8'));
});

test('strings follow the rules of plain English', () => {
  expect(wordingViolations(strings)).toEqual([]);
});

test('comments begin with their subject and use everyday words', () => {
  expect(commentViolations(comments)).toEqual([]);
});

describe('the rules', () => {
  const text = (words: string): readonly Text[] => [{ file: 'src/view/x.ts', line: 1, text: words }];

  test.each([
    ['the person whom it is for', 'everyday words'],
    ['the agent is told', 'everyday words'],
    ['What the agent says is kept', 'no relative clause that begins with what or who'],
    ['Stopped. Who asked may resume it', 'no relative clause that begins with what or who'],
    ['wave 0 is ready', 'people count waves from 1'],
    ['one\ntwo\nthree\nfour', 'at most three lines'],
    ['two  spaces', 'one space between words'],
  ])('find %j', (words, rule) => {
    expect(wordingViolations(text(words)).map((violation) => violation.rule)).toEqual([rule]);
  });

  test.each(['What would you like to do?', 'wave 1 is ready', 'one\ntwo\nthree', 'the branch whose tip moved'])(
    'let %j pass',
    (words) => {
      expect(wordingViolations(text(words))).toEqual([]);
    },
  );

  test('find comments that begin with what or who', () => {
    expect(commentViolations([...text('What is asked for.'), ...text('Returns the plan.')]).length).toBe(1);
  });
});
