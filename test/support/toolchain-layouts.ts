/**
 * Homes as managers lay them out, by their documentation. A file is a link after `-> `, otherwise its text; one that begins with `#!`
 * is a program. Each program needs what its real one needs: it prints its row's name only after it has found that. `~` is home.
 */
export type Layout = {
  readonly row: string;
  /** What is on the PATH. */
  readonly path: string;
  /** What is typed. */
  readonly program: string;
  readonly files: Readonly<Record<string, string>>;
};

const says = (row: string, ...needs: readonly string[]): string =>
  [
    '#!/bin/sh',
    'set -e',
    ...needs.map((file) => `test -s "${file}"; cat "${file}" >/dev/null`),
    `echo "${row}"`,
    '',
  ].join('\n');
const runs = (program: string): string => `#!/bin/sh\nexec "${program}" "$@"\n`;

const node = (row: string, root: string, path = `${root}/bin`): Layout => ({
  row,
  path,
  program: `cli-${row}`,
  files: {
    [`${root}/bin/cli-${row}`]: `-> ../lib/node_modules/cli/main.sh`,
    [`${root}/lib/node_modules/cli/main.sh`]: says(
      row,
      `${root}/lib/node_modules/cli/package.json`,
      `${root}/include/node.h`,
    ),
    [`${root}/lib/node_modules/cli/package.json`]: '{}',
    [`${root}/include/node.h`]: '//',
  },
});

export const toolchainLayouts: readonly Layout[] = [
  node('nvm', '~/.nvm/versions/node/v24.1.0'),
  node('fnm', '~/.local/share/fnm/node-versions/v24.1.0/installation', '~/.local/state/fnm_multishells/1_2/bin'),
  {
    row: 'volta',
    path: '~/.volta/bin',
    program: 'node-of-volta',
    files: {
      '~/.volta/bin/node-of-volta': '-> volta-shim',
      '~/.volta/bin/volta-shim': says(
        'volta',
        '~/.volta/layout.v4',
        '~/.volta/tools/user/platform.json',
        '~/.volta/tools/image/node/24/bin/node',
      ),
      '~/.volta/layout.v4': 'v4',
      '~/.volta/tools/user/platform.json': '{}',
      '~/.volta/tools/image/node/24/bin/node': says('node'),
    },
  },
  {
    row: 'asdf',
    path: '~/.asdf/shims',
    program: 'erl',
    files: {
      '~/.asdf/shims/erl': runs('~/.asdf/bin/asdf'),
      '~/.asdf/bin/asdf': says(
        'asdf',
        '~/.tool-versions',
        '~/.asdf/lib/utils.bash',
        '~/.asdf/plugins/erlang/bin/list',
        '~/.asdf/installs/erlang/27/bin/erl',
      ),
      '~/.tool-versions': 'erlang 27',
      '~/.asdf/lib/utils.bash': '#',
      '~/.asdf/plugins/erlang/bin/list': says('list'),
      '~/.asdf/installs/erlang/27/bin/erl': says('erl'),
    },
  },
  {
    row: 'mise',
    path: '~/.local/share/mise/shims',
    program: 'elixir',
    files: {
      '~/.local/share/mise/shims/elixir': '-> ~/.local/bin/mise',
      '~/.local/bin/mise': says(
        'mise',
        '~/.config/mise/config.toml',
        '~/.local/share/mise/installs/elixir/1/bin/elixir',
      ),
      '~/.config/mise/config.toml': '[tools]\nelixir = "1"\n',
      '~/.local/share/mise/installs/elixir/1/bin/elixir': says('elixir'),
    },
  },
  {
    row: 'pyenv',
    path: '~/.pyenv/shims',
    program: 'py',
    files: {
      '~/.pyenv/shims/py': runs('~/.pyenv/libexec/pyenv'),
      '~/.pyenv/libexec/pyenv': says('pyenv', '~/.pyenv/version', '~/.pyenv/versions/3.13.0/lib/python3.13/os.py'),
      '~/.pyenv/version': '3.13.0',
      '~/.pyenv/versions/3.13.0/lib/python3.13/os.py': '#',
    },
  },
  {
    row: 'rbenv',
    path: '~/.rbenv/shims',
    program: 'rb',
    files: {
      '~/.rbenv/shims/rb': runs('~/.rbenv/libexec/rbenv'),
      '~/.rbenv/libexec/rbenv': says('rbenv', '~/.rbenv/version', '~/.rbenv/versions/3.4.1/lib/ruby/3.4.0/set.rb'),
      '~/.rbenv/version': '3.4.1',
      '~/.rbenv/versions/3.4.1/lib/ruby/3.4.0/set.rb': '#',
    },
  },
  {
    row: 'rustup',
    path: '~/.cargo/bin',
    program: 'rustc-x',
    files: {
      '~/.cargo/bin/rustc-x': '-> rustup',
      '~/.cargo/bin/rustup': runs('~/.rustup/toolchains/stable/bin/rustc'),
      '~/.rustup/toolchains/stable/bin/rustc': says(
        'rustup',
        '~/.rustup/settings.toml',
        '~/.rustup/toolchains/stable/lib/std.rlib',
      ),
      '~/.rustup/settings.toml': 'version = "12"',
      '~/.rustup/toolchains/stable/lib/std.rlib': 'x',
    },
  },
  {
    row: 'SDKMAN!',
    path: '~/.sdkman/candidates/java/current/bin',
    program: 'java-x',
    files: {
      '~/.sdkman/candidates/java/current': '-> 25-tem',
      '~/.sdkman/candidates/java/25-tem/bin/java-x': says(
        'SDKMAN!',
        '~/.sdkman/candidates/java/current/conf/security/java.security',
        '~/.sdkman/candidates/java/25-tem/lib/modules',
      ),
      '~/.sdkman/candidates/java/25-tem/conf/security/java.security': '#',
      '~/.sdkman/candidates/java/25-tem/lib/modules': 'x',
    },
  },
  {
    row: 'conda',
    path: '~/miniforge3/envs/work/bin',
    program: 'jupyter-x',
    files: {
      '~/miniforge3/envs/work/conda-meta/history': '==>',
      '~/miniforge3/envs/work/bin/jupyter-x': runs('~/miniforge3/envs/work/bin/py3'),
      '~/miniforge3/envs/work/bin/py3': says(
        'conda',
        '~/miniforge3/envs/work/lib/python3.13/os.py',
        '~/miniforge3/envs/work/ssl/cacert.pem',
        '~/miniforge3/envs/work/share/j/x',
      ),
      '~/miniforge3/envs/work/lib/python3.13/os.py': '#',
      '~/miniforge3/envs/work/ssl/cacert.pem': 'x',
      '~/miniforge3/envs/work/share/j/x': 'x',
    },
  },
  {
    row: 'Homebrew',
    path: '~/.linuxbrew/bin',
    program: 'jq-x',
    files: {
      '~/.linuxbrew/bin/jq-x': '-> ../Cellar/jq/1.7/bin/jq-x',
      '~/.linuxbrew/Cellar/jq/1.7/bin/jq-x': says(
        'Homebrew',
        '~/.linuxbrew/opt/oniguruma/lib/libonig.so',
        '~/.linuxbrew/etc/openssl@3/cert.pem',
      ),
      '~/.linuxbrew/opt/oniguruma': '-> ../Cellar/oniguruma/6',
      '~/.linuxbrew/Cellar/oniguruma/6/lib/libonig.so': 'x',
      '~/.linuxbrew/etc/openssl@3/cert.pem': '-> ../ca-certificates/cert.pem',
      '~/.linuxbrew/etc/ca-certificates/cert.pem': 'x',
    },
  },
  {
    row: 'pnpm',
    path: '~/.local/share/pnpm',
    program: 'tsc-x',
    files: {
      '~/.local/share/pnpm/tsc-x': runs('~/.local/share/pnpm/global/5/node_modules/typescript/bin/tsc'),
      '~/.local/share/pnpm/global/5/node_modules/typescript':
        '-> ../../../store/v10/links/typescript/node_modules/typescript',
      '~/.local/share/pnpm/store/v10/links/typescript/node_modules/typescript/bin/tsc': says(
        'pnpm',
        '~/.local/share/pnpm/global/5/node_modules/typescript/package.json',
      ),
      '~/.local/share/pnpm/store/v10/links/typescript/node_modules/typescript/package.json': '{}',
    },
  },
  {
    row: 'bun',
    path: '~/.bun/bin',
    program: 'vite-x',
    files: {
      '~/.bun/bin/vite-x': '-> ../install/global/node_modules/vite/vite.sh',
      '~/.bun/install/global/node_modules/vite/vite.sh': says(
        'bun',
        '~/.bun/install/global/node_modules/vite/package.json',
        '~/.bun/install/global/node_modules/dep/x',
      ),
      '~/.bun/install/global/node_modules/vite/package.json': '{}',
      '~/.bun/install/global/node_modules/dep/x': 'x',
    },
  },
  {
    row: 'deno',
    path: '~/.deno/bin',
    program: 'udd',
    files: {
      '~/.deno/bin/udd': says('deno', '~/.deno/bin/.udd.lock.json', '~/.deno/bin/deno'),
      '~/.deno/bin/.udd.lock.json': '{}',
      '~/.deno/bin/deno': says('deno itself'),
    },
  },
  {
    row: 'uv',
    path: '~/.local/bin',
    program: 'ruff',
    files: {
      '~/.local/bin/ruff': '-> ~/.local/share/uv/tools/ruff/bin/ruff',
      '~/.local/share/uv/tools/ruff/bin/ruff': runs('~/.local/share/uv/tools/ruff/bin/python'),
      '~/.local/share/uv/tools/ruff/pyvenv.cfg': 'home',
      '~/.local/share/uv/tools/ruff/bin/python': '-> ~/.local/share/uv/python/cpython-3.13/bin/python3.13',
      '~/.local/share/uv/python/cpython-3.13/bin/python3.13': says(
        'uv',
        '~/.local/share/uv/tools/ruff/pyvenv.cfg',
        '~/.local/share/uv/python/cpython-3.13/lib/python3.13/os.py',
      ),
      '~/.local/share/uv/python/cpython-3.13/lib/python3.13/os.py': '#',
    },
  },
  {
    row: 'pipx',
    path: '~/.local/bin',
    program: 'black',
    files: {
      '~/.local/bin/black': '-> ~/.local/share/pipx/venvs/black/bin/black',
      '~/.local/share/pipx/venvs/black/bin/black': runs('~/.local/share/pipx/venvs/black/bin/python'),
      // on a Python of pyenv
      '~/.local/share/pipx/venvs/black/bin/python': '-> ~/.pyenv/versions/3.12.1/bin/python3.12',
      '~/.pyenv/versions/3.12.1/bin/python3.12': says(
        'pipx',
        '~/.local/share/pipx/venvs/black/pyvenv.cfg',
        '~/.local/share/pipx/shared/lib/pip.py',
      ),
      '~/.local/share/pipx/venvs/black/pyvenv.cfg': 'home',
      '~/.local/share/pipx/shared/lib/pip.py': '#',
    },
  },
  {
    row: 'dotnet',
    path: '~/.dotnet',
    program: 'dotnet-x',
    files: {
      '~/.dotnet/dotnet-x': says(
        'dotnet',
        '~/.dotnet/host/fxr/9/libhostfxr.so',
        '~/.dotnet/shared/Core/9/a.dll',
        '~/.dotnet/tools/.store/t/a.dll',
      ),
      '~/.dotnet/host/fxr/9/libhostfxr.so': 'x',
      '~/.dotnet/shared/Core/9/a.dll': 'x',
      '~/.dotnet/tools/.store/t/a.dll': 'x',
    },
  },
  {
    row: 'Go',
    path: '~/sdk/go1.24/bin',
    program: 'go-x',
    files: {
      '~/sdk/go1.24/bin/go-x': says(
        'Go',
        '~/sdk/go1.24/src/runtime/proc.go',
        '~/sdk/go1.24/pkg/tool/linux/compile',
        '~/sdk/go1.24/go.env',
        '~/sdk/go1.24/VERSION',
      ),
      '~/sdk/go1.24/src/runtime/proc.go': '//',
      '~/sdk/go1.24/pkg/tool/linux/compile': says('compile'),
      '~/sdk/go1.24/go.env': 'x',
      '~/sdk/go1.24/VERSION': 'go1.24',
    },
  },
  { row: 'Go', path: '~/go/bin', program: 'gopls-x', files: { '~/go/bin/gopls-x': says('Go') } },
  {
    row: 'Claude Code',
    path: '~/.local/bin',
    program: 'claude-x',
    files: {
      '~/.local/bin/claude-x': '-> ~/.local/share/claude/versions/2.1.0',
      '~/.local/share/claude/versions/2.1.0': says('Claude Code'),
    },
  },
  {
    row: 'Claude Code',
    path: '~/.claude/local',
    program: 'claude-y',
    files: {
      '~/.claude/local/claude-y': runs('~/.claude/local/node_modules/.bin/claude'),
      '~/.claude/local/node_modules/.bin/claude': '-> ../@anthropic-ai/claude-code/cli.sh',
      '~/.claude/local/node_modules/@anthropic-ai/claude-code/cli.sh': says(
        'Claude Code',
        '~/.claude/local/package.json',
      ),
      '~/.claude/local/package.json': '{}',
    },
  },
  {
    row: 'Codex',
    path: '~/.local/bin',
    program: 'codex-x',
    files: {
      '~/.local/bin/codex-x': '-> ~/.codex/packages/standalone/current/codex',
      '~/.codex/packages/standalone/current': '-> releases/1.0.0',
      '~/.codex/packages/standalone/releases/1.0.0/codex': says(
        'Codex',
        '~/.codex/packages/standalone/releases/1.0.0/rg',
      ),
      '~/.codex/packages/standalone/releases/1.0.0/rg': says('rg'),
    },
  },
  {
    row: 'opencode',
    path: '~/.opencode/bin',
    program: 'opencode-x',
    files: { '~/.opencode/bin/opencode-x': says('opencode') },
  },
  {
    row: 'Python environment',
    path: '~/envs/tools/bin',
    program: 'invoke',
    files: {
      '~/envs/tools/bin/invoke': runs('~/envs/tools/bin/python'),
      '~/envs/tools/bin/python': '-> ~/.pyenv/versions/3.11.7/bin/python3.11',
      '~/.pyenv/versions/3.11.7/bin/python3.11': says(
        'Python environment',
        '~/envs/tools/pyvenv.cfg',
        '~/envs/tools/lib/python3.11/site-packages/a.py',
      ),
      '~/envs/tools/pyvenv.cfg': 'home',
      '~/envs/tools/lib/python3.11/site-packages/a.py': '#',
    },
  },
];
