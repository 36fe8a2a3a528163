import { describe, expect, test } from 'vitest';
import { estimate, tiers } from './complexity.ts';
import { pathsIn } from './goal-text.ts';
import { agentTyped, matchAgents, registryOf } from './registry.ts';

const registry = registryOf({});
const tierOf = (text: string, files = 1, directories = 0) =>
  estimate(text, { files, directories }, agentTyped('Snipper', registry)).complexity;

describe('the estimate', () => {
  test('has the turns and the model of its tier', () => {
    const of = (files: number) => estimate('Do it', { files, directories: 0 }, agentTyped('Snipper', registry));
    expect([1, 3, 8, 15, 16].map((files) => of(files))).toMatchObject([
      { complexity: 'trivial', maxTurns: 3, model: 'haiku', keyword: null },
      { complexity: 'simple', maxTurns: 5, model: 'haiku' },
      { complexity: 'moderate', maxTurns: 10, model: 'sonnet' },
      { complexity: 'complex', maxTurns: 20, model: 'sonnet' },
      { complexity: 'expert', maxTurns: 30, model: 'opus', keyword: null },
    ]);
  });

  test('goes by keywords before it counts files, the hardest first', () => {
    expect(tierOf('Fix typo in the header', 40)).toBe('trivial');
    expect(tierOf('Add field to the form', 40)).toBe('simple');
    expect(tierOf('Refactor the parser', 1)).toBe('moderate');
    expect(tierOf('Debug the parser', 1)).toBe('complex');
    expect(tierOf('Rename, then redesign', 1)).toBe('expert');
    expect(tierOf('A security audit, and audit the rest')).toBe('expert');
  });

  test('knows words and phrases, not letters', () => {
    expect(tierOf('Fix the typos in the header', 40)).toBe('trivial');
    expect(tierOf('FIX A TYPO', 40)).toBe('trivial');
    expect(tierOf('Fixed: typography', 2)).toBe('simple');
    expect(tierOf('The immigration form', 2)).toBe('simple');
    expect(tierOf('Mend the migrations', 2)).toBe('expert');
    expect(tierOf('fix what a typo broke', 2)).toBe('simple');
  });

  test('does not take the name of a file for what is to be done', () => {
    expect(tierOf('Correct docs/architecture.md and db/migration.sql', 2)).toBe('simple');
  });

  test('takes a directory, and no target at all, for as many files as the agent may change', () => {
    expect(tierOf('Add user authentication to the API', 2, 1)).toBe('moderate');
    expect(tierOf('Add user authentication to the API', 0, 0)).toBe('moderate');
    const wide = { files: 40, model: 'own' };
    expect(estimate('Do it', { files: 0, directories: 1 }, wide)).toMatchObject({ complexity: 'expert', model: 'own' });
  });

  test('has five tiers', () => expect(tiers).toHaveLength(5));
});

describe('the registry', () => {
  const typesOf = (text: string, settings: Parameters<typeof registryOf>[0] = {}) =>
    matchAgents(text, registryOf(settings)).map(({ agent }) => agent.type);

  test('matches by whole words, the most of them first', () => {
    expect(typesOf('Style the react component, with a test')).toEqual(['frontend-react', 'test-engineer']);
    expect(typesOf('Build the required author page')).toEqual([]);
    expect(typesOf('Investigate the codebase')).toEqual(['Explore']);
    expect(typesOf('Write the API doc and the changelog')).toEqual(['docs-writer']);
  });

  test('F21: knows the other forms of its words', () => {
    expect(typesOf('Write documentation for the REST API')).toEqual(['docs-writer']);
    expect(typesOf('Look for vulnerabilities')).toEqual(['security-specialist']);
    expect(typesOf('Add row policies')).toEqual(['supabase-backend']);
    expect(typesOf('Profile the request handler')).toEqual(['performance-engineer']);
    expect(typesOf('Run a profiler')).toEqual(['performance-engineer']);
  });

  test('is extended, changed and narrowed by configuration', () => {
    const settings = {
      Snipper: null,
      'docs-writer': { forbid: ['touch code'], files: 2 },
      'rust-engineer': { keywords: ['rust', 'cargo*'], model: 'opus' },
      auditor: { keywords: ['ledger'], stage: 'validate' },
    } as const;
    expect(typesOf('Fix the rust crate: cargohold', settings)).toEqual(['rust-engineer']);
    const made = registryOf(settings);
    expect(made.some(({ type }) => type === 'Snipper')).toBe(false);
    expect(agentTyped('docs-writer', made)).toMatchObject({ name: 'Documentation Writer', files: 2, role: 'docs' });
    expect(agentTyped('rust-engineer', made)).toMatchObject({ name: 'Rust Engineer', stage: 'implement', files: 5 });
    expect(agentTyped('auditor', made)).toMatchObject({ stage: 'validate', role: 'qa' });
    expect(agentTyped('nobody', made)).toMatchObject({ name: 'Nobody', files: 5, forbid: [] });
  });
});

test('paths are what can only be paths', () => {
  expect(pathsIn('Change `src/a.ts`, ./docs/api.md, test/unit/ and README.md.')).toEqual([
    'src/a.ts',
    'docs/api.md',
    'test/unit/',
    'README.md',
  ]);
  expect(pathsIn('Own src/** and packages/*/src; see (lib/x).')).toEqual(['src/**', 'packages/*/src', 'lib/x']);
  const none =
    'POST /login at 5/min and/or TCP/IP with Node.js v1.2 over https://a.org/b.html in ../x.ts or /etc/a.conf';
  expect(pathsIn(none)).toEqual([]);
  expect(pathsIn('Never .git/config or .tidegate/x.json')).toEqual([]);
});
