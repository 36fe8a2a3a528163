import { agents } from '../../agents/agents.ts';

/**
 * Managers of toolchains whose programs need more than the directory on the PATH: what of each is visible in a fence, and what never
 * is. What a row shows is bound as a whole; file modes do not count there, because under umask 077 all files are private.
 */
export type ToolchainRow = {
  readonly name: string;
  /** Names another place for it. */
  readonly variable?: string;
  /** Its programs look at the variable themselves. */
  readonly passes?: true;
  /** The path of the tool; `~` is home. */
  readonly places?: readonly string[];
  /** Instead of places: whatever directory holds this. */
  readonly marker?: string;
  /** Below its place each of these is an installation of its own; only one that is used is visible. */
  readonly each?: string;
  /**
   * Below its place or installation, or below home with `~/`. `.` means the programs directly in it, `*` any name. A file
   * after `plain:` is visible only while it names tools and nothing else.
   */
  readonly shows: readonly string[];
  /** Credentials that lie there or nearby: visible by no rule of ours. */
  readonly never: readonly string[];
  /** Other directories of its installations and checkouts. Each is searched for credentials of any tool. */
  readonly holds?: readonly string[];
  /** The variable of a row that is needed along with it. */
  readonly with?: string;
  /** Links among its files that lead to a program of another manager. */
  readonly follows?: readonly string[];
};

const prefix = ['bin', 'lib', 'lib64', 'libexec', 'include', 'share'];
const environment = [...prefix, 'pyvenv.cfg'];
const versions = ['bin', 'libexec', 'shims', 'versions', 'plugins', 'version', 'completions'];

const managed = ['installs/*/*', 'installs/maven/*/*', 'installs/tomcat/*/*', 'plugins/*'];

export const toolchainTable: readonly ToolchainRow[] = [
  {
    name: 'nvm',
    variable: 'NVM_DIR',
    places: ['~/.nvm', '~/.config/nvm'],
    each: 'versions/node/*',
    shows: prefix,
    never: ['etc'],
  },
  {
    name: 'fnm',
    variable: 'FNM_DIR',
    places: ['~/.local/share/fnm', '~/.fnm'],
    each: 'node-versions/*/installation',
    shows: prefix,
    never: ['etc'],
  },
  {
    name: 'volta',
    variable: 'VOLTA_HOME',
    passes: true,
    places: ['~/.volta'],
    shows: ['bin', 'tools', 'layout.*', 'volta', 'volta-shim', 'volta-migrate'],
    never: ['hooks.json', 'log', 'tools/image/node/*/etc'],
    holds: ['tools/image/*/*', 'tools/image/packages/*/*'],
  },
  {
    name: 'asdf',
    variable: 'ASDF_DATA_DIR',
    passes: true,
    places: ['~/.asdf'],
    shows: ['bin', 'lib', 'libexec', 'shims', 'installs', 'plugins', 'asdf.sh', 'defaults', '~/.tool-versions'],
    never: ['installs/nodejs/*/etc', 'installs/rust/*/config', 'installs/rust/*/config.toml'],
    holds: managed,
  },
  {
    name: 'mise',
    variable: 'MISE_DATA_DIR',
    passes: true,
    places: ['~/.local/share/mise'],
    shows: ['bin', 'shims', 'installs', 'plugins', '~/.tool-versions', 'plain:~/.config/mise/config.toml'],
    never: ['installs/node/*/etc', 'installs/rust/*/config', 'installs/rust/*/config.toml'],
    holds: managed,
  },
  {
    name: 'pyenv',
    variable: 'PYENV_ROOT',
    passes: true,
    places: ['~/.pyenv'],
    shows: [...versions, 'pyenv.d'],
    never: ['versions/*/etc'],
    holds: ['versions/*', 'versions/*/envs/*', 'plugins/*'],
  },
  {
    name: 'rbenv',
    variable: 'RBENV_ROOT',
    passes: true,
    places: ['~/.rbenv'],
    shows: [...versions, 'rbenv.d'],
    never: ['versions/*/etc', '~/.gem/credentials', '~/.local/share/gem/credentials'],
    holds: ['versions/*', 'plugins/*'],
  },
  {
    name: 'rustup',
    variable: 'CARGO_HOME',
    places: ['~/.cargo'],
    shows: ['bin', 'env'],
    with: 'RUSTUP_HOME',
    never: ['credentials', 'credentials.toml', 'config', 'config.toml', 'registry', 'git'],
  },
  {
    name: 'rustup',
    variable: 'RUSTUP_HOME',
    passes: true,
    places: ['~/.rustup'],
    shows: ['toolchains', 'settings.toml', 'update-hashes'],
    never: [],
    holds: ['toolchains/*'],
  },
  {
    name: 'SDKMAN!',
    variable: 'SDKMAN_DIR',
    places: ['~/.sdkman'],
    shows: ['candidates', 'bin', 'libexec'],
    never: ['etc', 'var', '~/.m2/settings.xml', '~/.m2/settings-security.xml', '~/.gradle/gradle.properties'],
    holds: ['candidates/*/*'],
  },
  {
    name: 'conda',
    marker: 'conda-meta/history',
    shows: [...prefix, 'sbin', 'ssl', 'condabin', 'conda-meta/history', 'x86_64-conda-linux-gnu'],
    never: ['etc', 'conda-meta/state'],
    holds: ['share/maven*', 'share/tomcat*'],
  },
  {
    name: 'Homebrew',
    variable: 'HOMEBREW_PREFIX',
    places: ['/home/linuxbrew/.linuxbrew', '~/.linuxbrew'],
    shows: [...prefix, 'sbin', 'opt', 'Cellar', 'Homebrew', 'etc/ca-certificates', 'etc/openssl@3'],
    never: ['etc/gitconfig', 'etc/openssl*/private', 'var'],
    // of its many installations those of programs that read such files
    holds: [
      ...['Cellar/node*/*', 'Cellar/node*/*/libexec', 'Cellar/python*/*', 'Cellar/rust*/*'],
      ...['Cellar/maven*/*/libexec', 'Cellar/tomcat*/*/libexec', 'Homebrew', 'Homebrew/Library/Taps/*/*'],
    ],
  },
  {
    name: 'pnpm',
    variable: 'PNPM_HOME',
    places: ['~/.local/share/pnpm'],
    shows: ['.', 'bin', 'global', 'nodejs', '.tools', 'store/*/links'],
    never: ['rc', 'auth.ini', '~/.config/pnpm'],
    holds: ['global', 'global/*', 'nodejs/*'],
  },
  {
    name: 'bun',
    variable: 'BUN_INSTALL',
    places: ['~/.bun'],
    shows: ['bin', 'install/global/node_modules', 'install/global/package.json'],
    never: ['install/global/bunfig.toml', '~/.bunfig.toml'],
    holds: ['install/global'],
  },
  {
    name: 'deno',
    variable: 'DENO_INSTALL',
    places: ['~/.deno'],
    shows: ['bin'],
    never: ['~/.cache/deno'],
  },
  {
    name: 'uv',
    places: ['~/.local/share/uv'],
    shows: ['tools', 'python'],
    never: [],
    holds: ['tools/*', 'python/*'],
    follows: ['tools/*/bin/python'],
  },
  {
    name: 'pipx',
    variable: 'PIPX_HOME',
    places: ['~/.local/share/pipx', '~/.local/pipx'],
    shows: ['venvs', 'shared', 'py'],
    never: ['logs'],
    holds: ['venvs/*', 'shared', 'py/*'],
    follows: ['venvs/*/bin/python', 'shared/bin/python'],
  },
  {
    name: 'dotnet',
    variable: 'DOTNET_ROOT',
    passes: true,
    places: ['~/.dotnet'],
    shows: [
      ...['.', 'host', 'sdk', 'shared', 'packs', 'templates', 'sdk-manifests', 'metadata', 'library-packs', 'tools'],
    ],
    never: ['corefx', '~/.nuget/NuGet', '~/.microsoft/usersecrets'],
  },
  {
    name: 'Go',
    marker: 'src/runtime/proc.go',
    shows: ['bin', 'src', 'lib', 'misc', 'api', 'pkg/tool', 'pkg/include', 'go.env', 'VERSION'],
    never: ['pkg/mod', '~/.config/go'],
  },
  { name: 'Go', variable: 'GOPATH', places: ['~/go'], shows: ['bin'], never: ['pkg/mod'] },
  ...agents.flatMap(({ toolchains }) => toolchains ?? []),
  {
    name: 'Python environment',
    marker: 'pyvenv.cfg',
    shows: environment,
    never: [],
    follows: ['bin/python', 'bin/python3'],
  },
];
