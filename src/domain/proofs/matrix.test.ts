import { expect, test } from 'vitest';
import { promoteMatrix, readMatrix } from './matrix.ts';

const text = `{ "components": {\t"a": {"currentLevel" : "repo-landed", "x": {"currentLevel": "z"}},
  "b": { "note": "\\"currentLevel\\": \\"repo-landed\\"", "currentLevel":"inventoried" } },
  "currentLevel": "none" }`;
const up = { component: 'a', from: 'repo-landed', to: 'baseline-proved' } as const;

test('only the levels of promoted components change; every other byte stays', () => {
  expect(readMatrix(text)).toEqual(
    new Map([
      ['a', 'repo-landed'],
      ['b', 'inventoried'],
    ]),
  );
  const both = [up, { component: 'b', from: 'inventoried', to: 'contract-frozen' }] as const;
  expect(promoteMatrix(text, both)).toEqual({
    ok: true,
    value: text
      .replace('"currentLevel" : "repo-landed"', '"currentLevel" : "baseline-proved"')
      .replace('"inventoried"', '"contract-frozen"'),
  });
});

test.each([
  ['a component that it lacks', text, { ...up, component: 'c' }, { fault: 'unknown-component', component: 'c' }],
  [
    'a level that has moved',
    text,
    { ...up, from: 'inventoried', to: 'contract-frozen' },
    { fault: 'component-current-level-stale', component: 'a', level: 'repo-landed' },
  ],
  ['a key that occurs twice', text.replace('"b"', '"a"'), up, { fault: 'unreadable' }],
  ['no JSON', '{', up, { fault: 'unreadable' }],
  ['no components', '[]', up, { fault: 'unreadable' }],
] as const)('is refused with %s', (_, matrix, change, error) => {
  expect(promoteMatrix(matrix, [change])).toEqual({ ok: false, error });
});
