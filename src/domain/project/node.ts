import type { Directory, ProjectPart } from './project.ts';

/** npm, pnpm, yarn and bun; alone or with workspaces. */
export function nodePart(directory: Directory): ProjectPart | null {
  const manifest = manifestIn(directory, 'package.json');
  if (manifest === null) return null;
  const manager = managerOf(directory, manifest);
  const members = membersOf(directory, manifest);
  const hasDependencies = members.length > 0 || Object.keys(manifest.dependencies).length > 0;
  const setup = manager.frozen ?? (hasDependencies ? `${manager.name} install` : null);
  return {
    tool: manager.name,
    setup,
    checks: kinds.flatMap((kind) => checkOf(kind, manager, manifest, members, directory)),
    generated: manager.lock === null ? {} : { [manager.lock]: manager.relock },
    makes: setup === null ? [] : ['node_modules'],
    notes: members.length === 0 ? [] : [monorepoNote(members)],
  };
}

type Manifest = {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly manager: string;
  readonly hasWorkspaces: boolean;
};
type Member = { readonly path: string; readonly scripts: Manifest['scripts'] };
type Manager = {
  readonly name: 'npm' | 'pnpm' | 'yarn' | 'bun';
  /** Installs exactly what the lock file says; null without one. */
  readonly frozen: string | null;
  readonly lock: string | null;
  readonly relock: string;
  /** Runs a script in every member that has it. */
  readonly everywhere: (script: string) => string;
};

/** Names that projects use for the same script, the most usual first. */
const kinds = [
  { name: 'test', scripts: ['test'] },
  { name: 'lint', scripts: ['lint'] },
  { name: 'typecheck', scripts: ['typecheck', 'type-check', 'check-types', 'tsc', 'types'] },
] as const;

function checkOf(
  { name, scripts }: (typeof kinds)[number],
  manager: Manager,
  manifest: Manifest,
  members: readonly Member[],
  directory: Directory,
): ProjectPart['checks'] {
  const own = scripts.find((script) => isReal(manifest.scripts[script]));
  if (own !== undefined)
    return [{ name, run: own === 'test' ? `${manager.name} ${plainTest(manager)}` : `${manager.name} run ${own}` }];
  const theirs = scripts.find((script) => members.some((member) => isReal(member.scripts[script])));
  if (theirs === undefined) return [];
  if (directory.has('turbo.json')) return [{ name, run: `${runnerOf(manager)} turbo run ${theirs}` }];
  if (directory.has('nx.json')) return [{ name, run: `${runnerOf(manager)} nx run-many -t ${theirs}` }];
  return [{ name, run: manager.everywhere(theirs) }];
}

/** `bun test` is bun's own runner and not the script. */
const plainTest = ({ name }: Manager): string => (name === 'bun' ? 'run test' : 'test');

const runnerOf = ({ name }: Manager): string => ({ npm: 'npx', pnpm: 'pnpm exec', yarn: 'yarn', bun: 'bunx' })[name];

/** `npm init` writes a test that only fails. */
const isReal = (script: string | undefined): boolean => script !== undefined && !script.includes('no test specified');

function managerOf(directory: Directory, manifest: Manifest): Manager {
  const named = /^(npm|pnpm|yarn|bun)@(\d+)?/.exec(manifest.manager);
  const lock = [
    'pnpm-lock.yaml',
    'yarn.lock',
    'bun.lock',
    'bun.lockb',
    'package-lock.json',
    'npm-shrinkwrap.json',
  ].find((name) => directory.has(name));
  const by = lock === undefined ? (named?.[1] ?? 'npm') : managerOfLock(lock);
  const isClassic = !directory.has('.yarnrc.yml') && Number(named?.[2] ?? 1) < 2;
  const { frozen, relock, everywhere } = by === 'yarn' ? yarn[isClassic ? 'classic' : 'berry'] : commands[by as Known];
  return {
    name: by as Manager['name'],
    frozen: lock === undefined ? null : frozen,
    lock: lock ?? null,
    relock,
    everywhere,
  };
}

type Known = Exclude<Manager['name'], 'yarn'>;
type Commands = { readonly frozen: string; readonly relock: string; readonly everywhere: Manager['everywhere'] };

const commands: Readonly<Record<Known, Commands>> = {
  npm: {
    frozen: 'npm ci',
    relock: 'npm install --package-lock-only',
    everywhere: (script) => `npm run ${script} --workspaces --if-present`,
  },
  pnpm: {
    frozen: 'pnpm install --frozen-lockfile',
    relock: 'pnpm install --lockfile-only',
    everywhere: (script) => `pnpm -r --if-present run ${script}`,
  },
  bun: {
    frozen: 'bun install --frozen-lockfile',
    relock: 'bun install --lockfile-only',
    everywhere: (script) => `bun run --filter '*' ${script}`,
  },
};

/** The first yarn can neither write its lock file alone nor run a script only where there is one. */
const yarn: Readonly<Record<'classic' | 'berry', Commands>> = {
  classic: {
    frozen: 'yarn install --frozen-lockfile',
    relock: 'yarn install --ignore-scripts',
    everywhere: (script) => `yarn workspaces run ${script}`,
  },
  berry: {
    frozen: 'yarn install --immutable',
    relock: 'yarn install --mode=update-lockfile',
    everywhere: (script) => `yarn workspaces foreach --all run ${script}`,
  },
};

function managerOfLock(lock: string): Manager['name'] {
  if (lock.startsWith('pnpm')) return 'pnpm';
  if (lock.startsWith('yarn')) return 'yarn';
  return lock.startsWith('bun') ? 'bun' : 'npm';
}

/** Every other package of a repository that says it has some; their patterns are the package manager's business. */
function membersOf(directory: Directory, manifest: Manifest): readonly Member[] {
  if (!manifest.hasWorkspaces && !directory.has('pnpm-workspace.yaml')) return [];
  return directory.files
    .filter((path) => path.endsWith('/package.json'))
    .flatMap((path) => {
      const member = manifestIn(directory, path);
      return member === null ? [] : [{ path: path.slice(0, -'/package.json'.length), scripts: member.scripts }];
    });
}

function monorepoNote(members: readonly Member[]): string {
  const [first] = members;
  const names = members.slice(0, 4).map(({ path }) => path);
  const more = members.length > names.length ? ', …' : '';
  const count = members.length === 1 ? '1 package' : `${members.length} packages`;
  return `${count} (${names.join(', ')}${more}): let tasks own one each, as in owns: ['${first?.path}/**']`;
}

/** A file that is no JSON object says nothing; telling so is the package manager's business. */
function manifestIn(directory: Directory, path: string): Manifest | null {
  const text = directory.text(path);
  const parsed = text === null ? null : parse(text);
  if (!isRecord(parsed)) return null;
  return {
    scripts: strings(parsed['scripts']),
    dependencies: { ...strings(parsed['dependencies']), ...strings(parsed['devDependencies']) },
    manager: typeof parsed['packageManager'] === 'string' ? parsed['packageManager'] : '',
    hasWorkspaces: parsed['workspaces'] !== undefined,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const strings = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(isRecord(value) ? value : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
