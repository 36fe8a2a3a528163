import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { figuresOf } from '../scripts/figures.ts';

/**
 * Who may import whom. Arrows only ever point inward; `main` composes and may import all but other entry points. Facts about agents
 * are data that every layer may read.
 */
const mayImport: Record<string, readonly string[]> = {
  facts: [],
  domain: [],
  planner: ['domain'],
  ports: ['domain'],
  engine: ['domain', 'ports', 'pipeline'],
  pipeline: ['domain', 'ports'],
  protocol: ['domain', 'planner'],
  view: ['domain', 'ports'],
  adapters: ['domain', 'ports', 'planner'],
  agents: ['domain', 'ports', 'adapters'],
  merger: ['domain', 'ports', 'adapters', 'agents'],
  supervisor: ['domain', 'ports', 'adapters', 'agents'],
  doctor: ['domain', 'ports', 'engine', 'adapters', 'agents', 'supervisor'],
  dcm: ['domain', 'ports', 'engine', 'protocol'],
  contract: ['domain', 'protocol', 'dcm'],
  server: ['domain', 'ports', 'planner', 'protocol', 'engine', 'view', 'dcm', 'contract'],
  cli: ['domain', 'ports', 'planner', 'protocol', 'engine', 'pipeline', 'view', 'dcm', 'server'],
  main: [
    ...['domain', 'planner', 'ports', 'engine', 'pipeline', 'protocol', 'dcm', 'contract', 'adapters', 'view'],
    ...['agents', 'merger', 'supervisor', 'doctor', 'server', 'cli'],
  ],
};

/** Adapters that other adapters may build on. Every other adapter stands alone: what two of them share moves into one of these. */
const sharedAdapters = ['git', 'files', 'process'];

/** One per process. */
const entryPoints = ['cli', 'fence-client', 'merger', 'supervisor'];

/** What can write a git ref or a working tree, and the process that does. The command line must not even load it. */
const writers = ['src/adapters/git/write/', 'src/adapters/git/bare/', 'src/adapters/snapshot/', 'src/merger/'];

type Import = { readonly from: string; readonly to: string; readonly typeOnly: boolean; readonly isLazy: boolean };

const files = globSync('src/**/*.{ts,tsx}').filter((file) => !file.endsWith('.test.ts'));
const sources = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
const code = new Map([...sources].map(([file, source]) => [file, withoutComments(source)]));
const imports = [...code].flatMap(([file, source]) => importsOf(file, source));

test('imports point inward', () => {
  const outward = imports
    .filter(({ from, to }) => ![layerOf(from), 'facts'].includes(layerOf(to)))
    .filter(({ from, to }) => layerOf(from) !== 'facts' && !mayImport[layerOf(from)]?.includes(layerOf(to)))
    .map(({ from, to }) => `${from} imports ${to}`);
  expect(outward).toEqual([]);
});

test('facts about an agent are data: they take types from other layers, and name the executor beside them to be loaded later', () => {
  const others = imports
    .filter(({ from, to }) => layerOf(from) === 'facts' && layerOf(to) !== 'facts')
    .filter(({ from, to, typeOnly, isLazy }) => !typeOnly && !(isLazy && dirname(from) === dirname(to)))
    .map(({ from, to }) => `${from} imports ${to}`);
  expect(others).toEqual([]);
});

test('an agent knows no other agent: what two of them share is in common, or of their protocol', () => {
  const folderOf = (file: string): string => file.split('/')[2] ?? '';
  const sideways = imports
    .filter(({ from, to }) => layerOf(from) === 'agents' && layerOf(to) === 'agents' && from.split('/').length > 3)
    .filter(({ from, to }) => ![folderOf(from), 'common', 'acp'].includes(folderOf(to)))
    .map(({ from, to }) => `${from} imports ${to}`);
  expect(sideways).toEqual([]);
});

test('an adapter builds on git, files and process, and on no other adapter', () => {
  const adapterOf = (file: string): string => file.split('/')[2] ?? '';
  const sideways = imports
    .filter(({ from, to }) => layerOf(from) === 'adapters' && layerOf(to) === 'adapters')
    .filter(({ from, to }) => adapterOf(from) !== adapterOf(to) && !sharedAdapters.includes(adapterOf(to)))
    .map(({ from, to }) => `${from} imports ${to}`);
  expect(sideways).toEqual([]);
});

test('the merger verifies by code of its own: proof builds on nothing that makes what it verifies', () => {
  const makers = /^src\/merger\/(?:candidate|land|undo)\//;
  const shared = imports
    .filter(({ from, to }) => from.startsWith('src/merger/proof/') && makers.test(to))
    .map(({ from, to }) => `${from} imports ${to}`);
  expect(shared).toEqual([]);
});

test('every folder has its line in the table', () => {
  expect([...new Set(files.map(layerOf))].filter((layer) => mayImport[layer] === undefined)).toEqual([]);
});

test('imports of our own files exist', () => {
  expect(imports.filter(({ to }) => !sources.has(to)).map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
});

test('a folder holds no more files than a reader can look over', () => {
  const most = (folder: string): number => (folder.startsWith('src/domain/') ? 15 : 20);
  const full = [...Map.groupBy(files, (file) => dirname(file))].filter(([folder, held]) => held.length > most(folder));
  expect(full.map(([folder, held]) => `${folder} holds ${held.length}`)).toEqual([]);
});

describe('figures', () => {
  const { cycles, duplicates, anys, casts, functions } = figuresOf('.');

  test('no modules import one another in a circle at run time', () => expect(cycles).toEqual([]));

  test('an exported name means one thing in the whole tree', () => {
    // the same thing on both sides of a port, and the same limit for the schema and for the parser that needs none
    const alike = ['DemoRepository', 'handoffLimit'];
    expect(duplicates.filter(({ name }) => !alike.includes(name))).toEqual([]);
  });

  test('nothing has the type any, and casts get no more', () => {
    expect(anys).toBe(0);
    expect(casts).toBeLessThanOrEqual(150);
  });

  test('a function has at most 120 lines, unless it is one switch', () => {
    expect(functions.longest.filter(({ lines }) => lines > 120)).toEqual([]);
    expect(functions.p95).toBeLessThanOrEqual(32);
  });
});

test('domain and ports use no library and nothing of Node but hashing', () => {
  const allowed = ['node:crypto'];
  const used = [...code]
    .filter(([file]) => ['facts', 'domain', 'planner', 'ports'].includes(layerOf(file)) || isDcmRule(file))
    .flatMap(([file, source]) => packagesOf(source).map((name) => ({ file, name })))
    .filter(({ name }) => !allowed.includes(name));
  expect(used.map(({ file, name }) => `${file} imports ${name}`)).toEqual([]);
});

describe('processes', () => {
  test('there are four entry points and main/ composes nothing else', () => {
    const started = globSync('src/main/*.ts')
      .filter(
        (file) =>
          !file.endsWith('.test.ts') && /^process\.|^(?:await|void) |^const .*= await /m.test(code.get(file) ?? ''),
      )
      .map((file) => file.replace('src/main/', '').replace('.ts', ''));
    expect(started.sort()).toEqual(entryPoints);
  });

  test('no entry point imports another', () => {
    const isEntry = (file: string): boolean => entryPoints.includes(/^src\/main\/([^/]+)\.ts$/.exec(file)?.[1] ?? '');
    expect(imports.filter(({ to }) => isEntry(to)).map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  test('the command line and coordinator cannot write git, by whatever path of imports', () => {
    const reached = closure('src/main/cli.ts').filter(({ file }) => writers.some((writer) => file.startsWith(writer)));
    expect(reached.map(({ path }) => path.join(' -> '))).toEqual([]);
  });

  test('the client inside the fence is tiny: an agent waits for it, and nothing of ours may leak in', () => {
    const reached = closure('src/main/fence-client.ts').map(({ file }) => file);
    const foreign = reached.filter((file) => !/^src\/(main\/fence-client|domain|adapters\/handoff)/.test(file));
    expect(foreign).toEqual([]);
    expect(reached.length).toBeLessThanOrEqual(10);
    expect(
      reached.flatMap((file) => packagesOf(code.get(file) ?? '')).filter((name) => !name.startsWith('node:')),
    ).toEqual([]);
  });
});

describe('sources', () => {
  test('only main/ reads the environment, hears signals and ends the process', () => {
    expect(found(/process\.(?:env|exit|argv|on|once)\b(?!Code)/, (file) => layerOf(file) !== 'main')).toEqual([]);
  });

  test('only main/ knows where it lies: modules of other folders are moved when they are built', () => {
    expect(found(/import\.meta\./, (file) => layerOf(file) !== 'main')).toEqual([]);
  });

  test('interfaces ask for something by an action only: none makes a request or records one itself', () => {
    const isInterface = (file: string): boolean =>
      ['cli', 'server', 'main', 'protocol', 'view', 'dcm', 'contract'].includes(layerOf(file));
    expect(found(/\btype: [`']requested-|\bledger\.request\(|\baskAs\(/, isInterface)).toEqual([]);
  });

  test('people and agents are told apart in one place', () => {
    const isElsewhere = (file: string): boolean => file !== 'src/engine/actions/perform.ts';
    expect(found(/\.mayDecide\b|[(!]mayDecide\b|\bmayDecide (?:\?|&&|\|\||===)/, isElsewhere)).toEqual([]);
  });

  test('no shell is started', () => {
    expect(found(/\bexec(?:Sync)?\(|\bshell: ?(?:true|')/, isNotMethodCall)).toEqual([]);
  });

  test('time, chance and ids are arguments of domain, engine and pipeline', () => {
    const pure = (file: string): boolean =>
      ['domain', 'engine', 'pipeline', 'ports'].includes(layerOf(file)) || isDcmRule(file);
    expect(
      found(/\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\brandomUUID\b|\brandomBytes\b|\bperformance\.now\b/, pure),
    ).toEqual([]);
  });

  test('failpoints are named by literals that occur once', () => {
    const calls = [...code].flatMap(([file, source]) =>
      [...source.matchAll(/(?<!function )\bfailpoint\(([^)]*)\)/g)].map((match) => ({ file, name: match[1] ?? '' })),
    );
    expect(calls.filter(({ name }) => !/^'[a-z0-9-]+'$/.test(name))).toEqual([]);
    const names = calls.map(({ name }) => name);
    expect(calls.filter(({ name }, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  test('failures are not swallowed', () => {
    expect(found(/catch(?: \([^)]*\))? \{\s*\}/)).toEqual([]);
  });

  test('nothing is left to do and no path of one machine is written down', () => {
    const text = globSync('{src,test,bin,scripts,demo,docs,bench}/**/*.{ts,tsx,cjs,mjs,sh,md}').filter(
      (file) => file !== 'test/architecture.test.ts',
    );
    const marks = /\b(?:TODO|FIXME|XXX)\b|(?<![\w.])\/(?:work|home\/(?!ann\b|linuxbrew\b)[a-z]+|Users)\//;
    expect(text.flatMap((file) => matchesIn(file, readFileSync(file, 'utf8'), marks))).toEqual([]);
  });

  test('people count waves and rounds from 1; only the numbers of other programs and of the API stay as they are', () => {
    const isForPeople = (file: string): boolean =>
      !/^src\/dcm\/|\/dcm-|^src\/server\/|^src\/domain\/gates\//.test(file);
    expect(found(/\b(?:wave|round) \$\{(?!number\}|[^}]* \+ 1\})/, isForPeople)).toEqual([]);
  });

  test('a file is short enough to read', () => {
    expect([...sources].filter(([, source]) => source.split('\n').length > 400).map(([file]) => file)).toEqual([]);
  });
});

/** In the folder of an agent, `facts.ts` and the table of all of them are one layer, and the code that drives it is another. */
const layerOf = (file: string): string =>
  /^src\/agents\/(?:[^/]+\/facts|facts|list|agents)\.ts$/.test(file) ? 'facts' : (file.split('/')[1] ?? '');

/** The rules of DCM sessions are as pure as those of the domain; its schemas, routes and handlers are not. */
const isDcmRule = (file: string): boolean =>
  layerOf(file) === 'dcm' && !/\/(?:documents|routes|handlers)\.ts$/.test(file);

/** `pattern.exec(text)` and `database.exec(sql)` start nothing. */
function isNotMethodCall(_file: string, line: string): boolean {
  return !/\.exec\(/.test(line);
}

function found(pattern: RegExp, applies: (file: string, line: string) => boolean = () => true): readonly string[] {
  return [...code].flatMap(([file, source]) => matchesIn(file, source, pattern, applies));
}

function matchesIn(
  file: string,
  source: string,
  pattern: RegExp,
  applies: (file: string, line: string) => boolean = () => true,
): readonly string[] {
  return source
    .split('\n')
    .map((line, at) => ({ line, at: at + 1 }))
    .filter(({ line }) => pattern.test(line) && applies(file, line))
    .map(({ line, at }) => `${file}:${at} ${line.trim()}`);
}

/** Every file that `entry` loads, at start or later, and by which way. Types are gone at run time and do not count. */
function closure(entry: string): readonly { readonly file: string; readonly path: readonly string[] }[] {
  const seen = new Map<string, readonly string[]>([[entry, [entry]]]);
  for (const [file, path] of seen) {
    for (const { to } of imports.filter(({ from, typeOnly }) => from === file && !typeOnly)) {
      if (!seen.has(to)) seen.set(to, [...path, to]);
    }
  }
  return [...seen].map(([file, path]) => ({ file, path }));
}

function importsOf(file: string, source: string): readonly Import[] {
  const found = source.matchAll(
    /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^'";]*?from\s+'(\.[^']+)'|(?:^|\n)\s*import\s+'(\.[^']+)'|import\(\s*'(\.[^']+)'\s*\)(\.[A-Z])?/g,
  );
  return [...found].map((match) => {
    const named = match[2] ?? match[3] ?? match[4] ?? '';
    // `import('./x.ts').Type` stands in a type: a loaded module would be awaited first.
    const isType = match[1] !== undefined || match[5] !== undefined;
    const isLazy = match[4] !== undefined && !isType;
    return { from: file, to: join(dirname(file), named), typeOnly: isType, isLazy };
  });
}

function packagesOf(source: string): readonly string[] {
  return [...source.matchAll(/from '([^.'][^']*)'/g)].map((match) => match[1] ?? '');
}

function withoutComments(source: string): string {
  return source
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ' '))
    .replaceAll(/^\s*\/\/.*$/gm, '');
}
