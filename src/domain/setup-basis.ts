import { plainCommands } from './plain-commands.ts';
import type { Word } from './shell-words.ts';

/** What `setup` is made from: equal inputs make an equal product, which is then copied instead of made again. */
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
  if (inputs !== undefined) return { by: 'inputs', patterns: inputs };
  const commands = plainCommands(run, '.').filter(({ program }) => program !== 'cd');
  const tools = commands.map(({ program, args, redirects }) => (redirects.length > 0 ? null : toolOf(program, args)));
  const named = paths.filter(isManifest);
  const isKnown = tools.length > 0 && !tools.includes(null) && named.length > 0;
  return isKnown && !named.some((path) => runsCode(path, read, tools)) ? { by: 'manifests' } : { by: 'tree' };
}

const basename = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const isManifest = (path: string): boolean => manifests.test(basename(path)) || patches.test(path);

const manifests =
  /^(package(-lock)?\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|\.pnpmfile\.c?js|yarn\.lock|\.yarnrc(\.yml)?|bun\.lockb?|bunfig\.toml|\.npmrc|binding\.gyp|Cargo\.(toml|lock)|go\.(mod|sum|work)|pyproject\.toml|(poetry|uv|Pipfile|Gemfile|composer|mix)\.lock|Pipfile|(requirements|constraints).*\.(txt|in)|Gemfile|composer\.json|mix\.exs)$/;
/** What pnpm, Yarn and others apply to what they install, and a Yarn that the repository brings along. */
const patches = /(?:^|\/)(?:patches\/.*\.patch|\.yarn\/(?:patches|releases|plugins)\/[^/]+)$/;

type Tool = 'node' | 'composer' | 'other';

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
      return words[1] === 'venv' ? 'other' : words[1] === 'pip' ? pip(words.slice(2)) : null;
    case 'pip':
    case 'pip3':
      return pip(words);
    case 'poetry':
    case 'bundle':
      return isAlone && (first === 'install' || (program === 'bundle' && first === '')) ? 'other' : null;
    case 'uv':
      return isAlone && first === 'sync' ? 'other' : null;
    case 'pipenv':
      return isAlone && /^(?:install|sync)$/.test(first) ? 'other' : null;
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
  return isListed ? 'other' : null;
}

/** Whether installing runs code of the repository, or builds a part of it, which may read any file. */
function runsCode(path: string, read: (path: string) => string, tools: readonly (Tool | null)[]): boolean {
  switch (basename(path)) {
    case 'package.json':
      return tools.includes('node') && hasScript(read(path), /^(?:pre|post)?(?:install|prepare|prepublish)$|^pnpm:/);
    case 'binding.gyp':
      return tools.includes('node');
    case 'composer.json':
      return tools.includes('composer') && hasScript(read(path), /^(?:pre|post)-/);
    case 'Gemfile':
      return /^\s*gemspec\b|\bpath:|:path\b|\beval_gemfile\b|\brequire_relative\b/m.test(read(path));
    default:
      return /^requirements.*\.(?:txt|in)$/.test(basename(path)) && /^\s*(?:-e|--editable|\.|file:)/m.test(read(path));
  }
}

function hasScript(text: string, names: RegExp): boolean {
  try {
    const { scripts } = JSON.parse(text) as { readonly scripts?: unknown };
    return typeof scripts === 'object' && scripts !== null && Object.keys(scripts).some((name) => names.test(name));
  } catch (error) {
    // what cannot be read may have any
    if (error instanceof SyntaxError || error instanceof TypeError) return true;
    throw error;
  }
}
