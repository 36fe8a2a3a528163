import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Project } from '../../../domain/project/project.ts';
import { completed, configLines, type ExistingFiles, filesToWrite, mostConfigLines } from './init-files.ts';

const nothing: Project = { tools: [], setup: null, checks: [], generated: {}, include: [], notes: [] };
const some: Project = {
  ...nothing,
  setup: "npm ci && echo 'it''s'",
  checks: [{ name: 'test', run: 'npm test' }],
  generated: { 'package-lock.json': 'npm install --package-lock-only' },
  include: ['/.env', '/apps/web/.env.local'],
};
const existing = (config: string | null, include: string | null = null): ExistingFiles => ({
  config,
  include,
  keysOf: (text) => {
    try {
      const value: unknown = parse(text);
      return typeof value === 'object' && value !== null ? Object.keys(value) : null;
    } catch {
      return null;
    }
  },
});

test('what was found is written so that it is read as found', () => {
  const { setup, checks, generated } = some;
  expect(parse(configLines(some).join('\n'))).toEqual({ setup, checks, generated });
  expect(parse(configLines(nothing).join('\n'))).toBe(null);
});

test('the configuration has at most twelve lines, however much was found', () => {
  for (const count of [1, 3, 6, 7, 8, 9, 30])
    for (const files of [0, 1, 2, 5])
      for (const setup of [null, 'x']) {
        const checks = Array.from({ length: count }, (_, index) => ({ name: `check ${index}`, run: 'x' }));
        const generated = Object.fromEntries(Array.from({ length: files }, (_, index) => [`f${index}`, 'x']));
        const lines = configLines({ ...nothing, setup, checks, generated });
        expect(lines.length).toBeLessThanOrEqual(mostConfigLines);
        const written = parse(lines.join('\n')) as { checks: unknown[]; generated?: object };
        expect(Object.keys(written.generated ?? {}).length).toBe(files);
        expect(written.checks.length).toBe(Math.min(count, written.checks.length));
        if (count <= 6) expect(written.checks.length).toBe(count);
      }
});

test('a file that exists gets what it lacks, at its end, and nothing the second time', () => {
  const [config, include] = filesToWrite(some, existing('checks: []', '.env*\n'));
  expect(config).toMatchObject({ state: 'lacks' });
  expect(include).toMatchObject({ state: 'complete' });
  const text = config === undefined ? '' : completed(config);
  expect(parse(text)).toEqual({ checks: [], setup: some.setup, generated: some.generated });
  expect(filesToWrite(some, existing(text, '.env*\n'))).toMatchObject([{ state: 'complete' }, { state: 'complete' }]);
});

test.each(['{ setup: x }', '- a', 'mine', 'a: [\n'])(
  'a file that nothing can be added to is left alone: %j',
  (text) => {
    expect(filesToWrite(some, existing(text))[0]).toMatchObject({ state: 'unreadable' });
  },
);

test('lines that name a file in another way count as naming it', () => {
  const adds = (text: string) => filesToWrite(some, existing('', text))[1]?.adds;
  expect(adds('apps/web/.env.local\n')).toEqual(['/.env']);
  expect(adds('.env\n.env.local\n')).toEqual([]);
  expect(adds('# none\n')).toEqual(['/.env', '/apps/web/.env.local']);
});

test('without ignored files of an environment there is nothing to include', () => {
  expect(filesToWrite(nothing, existing(null)).map(({ name }) => name)).toEqual(['tidegate.yaml']);
});
