import { matches, pattern } from '../scope/pattern.ts';
import { plainCommands } from '../shell/plain-commands.ts';
import type { Word } from '../shell/shell-words.ts';

/** The inputs of `setup`. Equal inputs make an equal product, which is then copied instead of made again. */
export type SetupBasis =
  /** Paths that the plan names as its inputs. */
  | { readonly by: 'inputs'; readonly patterns: readonly string[] }
  /** Manifests and lockfiles: every command only installs what they list. */
  | { readonly by: 'manifests' }
  /** Nobody knows what the command reads, so that everything counts. */
  | { readonly by: 'tree' };

/** `paths` are the files of the workspace, `read` gives the text of one. */
export function setupBasis(
  run: string,
  inputs: readonly string[] | undefined,
  paths: readonly string[],
  read: (path: string) => string,
): SetupBasis {
  if (inputs !== undefined) {
    const patterns = inputs.map(pattern);
    const isNamed = paths.some((path) => patterns.some((one) => matches(one, path)));
    // misspelled inputs would keep one product for ever
    return isNamed ? { by: 'inputs', patterns: inputs } : { by: 'tree' };
  }
  const commands = plainCommands(run, '.').filter(({ program }) => program !== 'cd');
  const tools = commands.map(({ program, args, redirects }) => (redirects.length > 0 ? null : toolOf(program, args)));
  const named = paths.filter(isManifest);
  const isKnown = tools.length > 0 && !tools.includes(null) && named.length > 0;
  return isKnown && !named.some((path) => takesMore(path, read, tools)) ? { by: 'manifests' } : { by: 'tree' };
}

const basename = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const isManifest = (path: string): boolean => manifests.test(basename(path)) || patches.test(path);

const manifests =
  /^(package(-lock)?\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|\.pnpmfile\.c?js|yarn\.lock|\.yarnrc(\.yml)?|bun\.lockb?|bunfig\.toml|\.npmrc|binding\.gyp|Cargo\.(toml|lock)|go\.(mod|sum|work)|pyproject\.toml|(poetry|uv|Pipfile|Gemfile|composer|mix)\.lock|Pipfile|(requirements|constraints).*\.(txt|in)|Gemfile|composer\.json|mix\.exs)$/;
/** Patches that pnpm, Yarn and others apply to packages, and a Yarn that lies in the repository. */
const patches = /(?:^|\/)(?:patches\/.*\.patch|\.yarn\/(?:patches|releases|plugins)\/[^/]+)$/;

type Tool = 'node' | 'python' | 'composer' | 'other';

/** Null: not a command that only installs what manifests list. */
function toolOf(program: string, args: readonly Word[]): Tool | null {
  if (!args.every(({ plain }) => plain)) return null;
  const words = args.map(({ text }) => text);
  const [first = '', ...rest] = words.filter((word) => !word.startsWith('-'));
  const isAlone = rest.length === 0;
  switch (program) {
    case 'npm':
      return isAlone && /^(?:ci|clean-install|install|i)$/.test(first) ? 'node' : null;
    case 'pnpm':
    case 'bun':
      return isAlone && /^(?:install|i)$/.test(first) ? 'node' : null;
    case 'yarn':
      return isAlone && /^(?:install)?$/.test(first) ? 'node' : null;
    case 'corepack':
      return first === 'enable' ? 'node' : null;
    case 'python':
    case 'python3':
      if (words[0] !== '-m') return null;
      return words[1] === 'venv' ? 'python' : words[1] === 'pip' ? pip(words.slice(2)) : null;
    case 'pip':
    case 'pip3':
      return pip(words);
    case 'poetry':
      return isAlone && first === 'install' ? 'python' : null;
    case 'bundle':
      return isAlone && /^(?:install)?$/.test(first) ? 'other' : null;
    case 'uv':
      return isAlone && first === 'sync' ? 'python' : null;
    case 'pipenv':
      return isAlone && /^(?:install|sync)$/.test(first) ? 'python' : null;
    case 'cargo':
      return isAlone && first === 'fetch' ? 'other' : null;
    case 'go':
      return words.join(' ') === 'mod download' ? 'other' : null;
    case 'composer':
      return isAlone && first === 'install' ? 'composer' : null;
    case 'mix':
      return isAlone && first === 'deps.get' ? 'other' : null;
    default:
      return null;
  }
}

/** From lists and by name; a directory would be built. */
function pip([command, ...words]: readonly string[]): Tool | null {
  if (command !== 'install') return null;
  const isListed = words.every((word, at) => {
    if (/^(?:-r|--requirement|-c|--constraint)$/.test(words[at - 1] ?? '')) return true;
    return word.startsWith('-') ? !/^(?:-e|--editable)/.test(word) : /^[A-Za-z0-9][\w.[\],=<>!~-]*$/.test(word);
  });
  return isListed ? 'python' : null;
}

/** True when installing runs code of the repository, or builds or copies a part of it, which may be any file. */
function takesMore(path: string, read: (path: string) => string, tools: readonly (Tool | null)[]): boolean {
  switch (basename(path)) {
    case 'package.json':
      return tools.includes('node') && (hasScript(read(path), installScripts) || hasOwnParts(read(path)));
    case 'pnpm-workspace.yaml':
      return tools.includes('node') && /[\s"'](?:file|link|portal):|\binjected?\b/i.test(read(path));
    case 'binding.gyp':
      return tools.includes('node');
    case 'composer.json':
      return (
        tools.includes('composer') &&
        (hasScript(read(path), /^(?:pre|post)-/) || /"type"\s*:\s*"path"/.test(read(path)))
      );
    case 'pyproject.toml':
    case 'Pipfile':
      return tools.includes('python') && /(?:^|[\s{,."'])path["']?\s*=|\bfile:/m.test(read(path));
    case 'Gemfile':
      return /^\s*gemspec\b|\bpath:|:path\b|\beval_gemfile\b|\brequire_relative\b/m.test(read(path));
    default:
      return /^requirements.*\.(?:txt|in)$/.test(basename(path)) && /^\s*(?:-e|--editable|\.|file:)/m.test(read(path));
  }
}

const installScripts = /^(?:pre|post)?(?:install|prepare|prepublish|dependencies)$|^pnpm:/;

const hasScript = (text: string, names: RegExp): boolean =>
  inManifest(text, ({ scripts }) => isTable(scripts) && Object.keys(scripts).some((name) => names.test(name)));

/** Dependencies that are files or directories of the repository. Some tools link them, others copy. */
const hasOwnParts = (text: string): boolean =>
  inManifest(text, (manifest) => dependencyKeys.some((key) => namesPath(manifest[key])));

const dependencyKeys = [
  ...['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies'],
  ...['dependenciesMeta', 'overrides', 'resolutions', 'pnpm'],
];

/** At any depth. `exec:` of Yarn runs a script; `injected` of pnpm copies a package of the workspace. */
function namesPath(value: unknown): boolean {
  if (typeof value === 'string') return /^(?:file|link|portal|exec):|^(?:\.{1,2}|~)?\//.test(value);
  return isTable(value) && (value['injected'] === true || Object.values(value).some(namesPath));
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** True as well for a manifest that cannot be read: it may hold anything. */
function inManifest(text: string, holds: (manifest: Readonly<Record<string, unknown>>) => boolean): boolean {
  try {
    const manifest: unknown = JSON.parse(text);
    return !isTable(manifest) || holds(manifest);
  } catch (error) {
    if (error instanceof SyntaxError) return true;
    throw error;
  }
}
