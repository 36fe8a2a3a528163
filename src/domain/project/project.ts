import { nodePart } from './node.ts';
import { cargoPart, goPart, makePart, scriptPart } from './others.ts';
import { pythonPart } from './python.ts';

/** The files of a repository, read without running anything of it. */
export type RepositoryFiles = {
  /** Files, tracked or new, by path from the top. */
  readonly files: readonly string[];
  /** Existing paths that git ignores. A directory that is ignored as a whole ends in `/`; its files are not listed. */
  readonly ignored: readonly string[];
  /** Names at the top that the repository's own rules would ignore, of those that tools make. */
  readonly wouldIgnore: readonly string[];
  /** Well-known files, by path. */
  readonly texts: Readonly<Record<string, string>>;
};

export type Project = {
  /** The tool that manages it: `npm`, `uv`, `cargo`. */
  readonly tools: readonly string[];
  readonly setup: string | null;
  readonly checks: readonly { readonly name: string; readonly run: string }[];
  /** Files that a tool writes, and the command that does. */
  readonly generated: Readonly<Record<string, string>>;
  /** Ignored files that agents will miss in their workspaces: lines of `.worktreeinclude`. */
  readonly include: readonly string[];
  readonly notes: readonly string[];
};

/** Recognises the project of one kind of tool in a directory; null when there is none. */
export type ProjectPart = Omit<Project, 'tools' | 'include'> & {
  readonly tool: string;
  /** Directories that `setup` makes. */
  readonly makes: readonly string[];
};

/** One directory, repository as if it were the top. */
export type Directory = {
  readonly has: (name: string) => boolean;
  readonly text: (name: string) => string | null;
  readonly files: readonly string[];
  readonly wouldIgnore: (name: string) => boolean;
};

/** Detects the parts of a project. Without a manifest at the top, the directories below it count: `web/` and `api/` of one product. */
export function detectProject(repository: RepositoryFiles): Project {
  const top = partsOf(directoryIn(repository, ''));
  const parts =
    top.length > 0
      ? top
      : below(repository).flatMap((name) => partsOf(directoryIn(repository, name)).map(inside(name)));
  const include = environmentFiles(repository);
  const made = [...new Set(parts.flatMap((part) => part.makes))];
  return {
    tools: [...new Set(parts.map((part) => part.tool))],
    setup: inOrder(parts.flatMap((part) => part.setup ?? [])),
    checks: distinctNames(parts),
    generated: Object.assign({}, ...parts.map((part) => part.generated)) as Project['generated'],
    include: include.map((path) => `/${path}`),
    notes: [
      ...parts.flatMap((part) => part.notes),
      ...made
        .filter((path) => !repository.wouldIgnore.includes(path.split('/').at(-1) ?? path))
        .map((path) => `${path} is not in .gitignore: what setup puts there would count as work of every agent`),
      ...(include.length === 0 ? [] : [`agents can read what is in ${include.join(', ')}: see .worktreeinclude`]),
      ...composeNotes(repository),
    ],
  };
}

function partsOf(directory: Directory): readonly ProjectPart[] {
  const parts = [nodePart, pythonPart, cargoPart, goPart].flatMap((look) => look(directory) ?? []);
  if (parts.some((part) => part.checks.length > 0)) return parts;
  const other = makePart(directory) ?? scriptPart(directory);
  return other === null ? parts : [...parts, other];
}

function directoryIn(repository: RepositoryFiles, name: string): Directory {
  const prefix = name === '' ? '' : `${name}/`;
  const files = repository.files.flatMap((path) => (path.startsWith(prefix) ? path.slice(prefix.length) : []));
  const there = new Set(files);
  return {
    files,
    has: (path) => there.has(path),
    text: (path) => repository.texts[`${prefix}${path}`] ?? null,
    wouldIgnore: (path) => repository.wouldIgnore.includes(path),
  };
}

const below = ({ files }: RepositoryFiles): readonly string[] => [
  ...new Set(files.flatMap((path) => (path.split('/').length === 2 ? (path.split('/')[0] ?? []) : []))),
];

const inside =
  (name: string) =>
  (part: ProjectPart): ProjectPart => ({
    ...part,
    setup: part.setup === null ? null : `(cd ${name} && ${part.setup})`,
    checks: part.checks.map((check) => ({ name: `${name} ${check.name}`, run: `cd ${name} && ${check.run}` })),
    generated: Object.fromEntries(
      Object.entries(part.generated).map(([path, run]) => [`${name}/${path}`, `cd ${name} && ${run}`]),
    ),
    makes: part.makes.map((path) => `${name}/${path}`),
  });

const inOrder = (commands: readonly string[]): string | null => (commands.length === 0 ? null : commands.join(' && '));

/** Two tools at the top both have a `test`: the later one is named after its tool. */
function distinctNames(parts: readonly ProjectPart[]): Project['checks'] {
  const taken = new Set<string>();
  return parts.flatMap((part) =>
    part.checks.map(({ name, run }) => {
      const unique = taken.has(name) ? `${part.tool} ${name}` : name;
      taken.add(unique);
      return { name: unique, run };
    }),
  );
}

/** Samples are committed; what is ignored is somebody's own. */
const environmentFiles = ({ ignored }: RepositoryFiles): readonly string[] =>
  ignored.filter(
    (path) => /(^|\/)\.(env|dev\.vars)(\.[^/]+)?$/.test(path) && !/\.(example|sample|template)$/.test(path),
  );

function composeNotes({ files }: RepositoryFiles): readonly string[] {
  const composeFiles = files.filter((path) => /(^|\/)(docker-)?compose(\.[\w-]+)?\.ya?ml$/.test(path));
  if (composeFiles.length === 0) return [];
  return [
    `${composeFiles.join(', ')}: every task has its own COMPOSE_PROJECT_NAME and ten ports from $PORT on; write "\${PORT:-8080}:80" instead of a fixed port. The Docker socket is not in the fence`,
  ];
}
