import { describe, expect, test } from 'vitest';
import { type FileEntry, follow, type Look } from './rows.ts';
import { type Visible, visibleByPath } from './visible.ts';

const home = '/home/ann';

/** Files by path: `->` a link, `x` a program, `private` 0600, `private x` 0700, anything else a file for all. */
function tree(files: Readonly<Record<string, string>>): Look {
  const entries = new Map<string, FileEntry>();
  const texts = new Map<string, string>();
  for (const [name, what] of Object.entries(files)) {
    const path = name.startsWith('~') ? `${home}${name.slice(1)}` : name;
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
      if (!entries.has(path.slice(0, at))) entries.set(path.slice(0, at), { kind: 'directory', mode: 0o755 });
    const to = /^-> (.*)$/.exec(what)?.[1]?.replace('~', home);
    if (path.endsWith('/')) continue;
    const mode = { x: 0o755, private: 0o600, 'private x': 0o700, shared: 0o640 }[what] ?? 0o644;
    entries.set(path, to !== undefined ? { kind: 'link', mode: 0o777, to } : { kind: kindOf(what), mode });
    texts.set(path, what);
  }
  const inTree = { at: (path: string) => entries.get(path) ?? null };
  const real = (path: string): string => follow(inTree, path)?.real ?? path;
  const unlinked = (path: string): string => {
    const cut = path.lastIndexOf('/');
    return cut <= 0 ? path : `${real(path.slice(0, cut))}${path.slice(cut)}`;
  };
  return {
    at: (path) => inTree.at(unlinked(path)),
    list(named, most) {
      const directory = real(named);
      if (entries.get(directory)?.kind !== 'directory' && directory !== '/') return null;
      const start = directory === '/' ? '/' : `${directory}/`;
      const found = [...entries]
        .filter(([path]) => path.startsWith(start) && !path.slice(start.length).includes('/'))
        .map(([path, { kind }]) => ({ path: `${named === '/' ? '' : named}/${path.slice(start.length)}`, kind }));
      return found.length > most ? null : found;
    },
    text: (path) => texts.get(real(path)) ?? null,
  };
}
const kindOf = (what: string): 'file' | 'other' => (what === 'socket' ? 'other' : 'file');

type Given = { readonly closed?: readonly string[]; readonly variables?: Readonly<Record<string, string>> };

function see(path: readonly string[], files: Readonly<Record<string, string>>, given: Given = {}): Visible {
  const named = (name: string): string => name.replace('~', home);
  const wanted = { path: path.map(named), home, closed: (given.closed ?? []).map(named) };
  return visibleByPath({ ...wanted, variables: given.variables ?? {} }, tree({ '~/': '', ...files }));
}

const short = (path: string): string => path.replace(home, '~');
const shown = (visible: Visible): readonly string[] => visible.shown.map(({ path }) => short(path));
const ruled = (visible: Visible): readonly string[] =>
  visible.shown.map(({ path, rule }) => `${short(path)} ${rule.rule === 'row' ? rule.row : rule.rule}`);
const hidden = (visible: Visible): readonly string[] => visible.hidden.map(({ path }) => short(path));

describe('a directory on the PATH', () => {
  test('that is a bin is visible with its libraries, and with nothing else beside it', () => {
    const files = { '~/.pulumi/bin/pulumi': 'x', '~/.pulumi/lib/a.so': '', '~/.pulumi/credentials.json': '' };
    expect(ruled(see(['~/.pulumi/bin'], files))).toEqual(['~/.pulumi/bin directory', '~/.pulumi/lib beside']);
  });
  test('has libraries by a link too, unless that leads elsewhere', () => {
    const files = {
      '~/opt/a/bin/a': 'x',
      '~/opt/a/lib': '-> lib64',
      '~/opt/a/lib64/a.so': '',
      '~/opt/a/include': '-> ~/.ssh',
      '~/.ssh/id': '',
    };
    const visible = see(['~/opt/a/bin'], files);
    expect(shown(visible)).toEqual(['~/opt/a/bin', '~/opt/a/lib64']);
    expect(visible.links).toEqual([{ path: `${home}/opt/a/lib`, to: 'lib64' }]);
  });
  test('in a project of somebody is no toolchain because of a name', () => {
    const files = { '~/dev/app/bin/a': 'x', '~/dev/app/src/runtime/a.ts': '', '~/dev/app/conda-meta/a': '' };
    expect(ruled(see(['~/dev/app/bin'], files))).toEqual(['~/dev/app/bin directory']);
  });
  test.each(['~/bin', '~/.local/bin'])("that is home's own (%s) has no libraries beside it", (bin) => {
    const lib = bin.replace('/bin', '/lib');
    expect(shown(see([bin], { [`${bin}/a`]: 'x', [`${lib}/a`]: '' }))).toEqual([bin]);
  });
  test.each(['~', '~/.docker', '~/.config/gh', '/home', '/opt'])('such as %s shows its programs alone', (directory) => {
    const files = { [`${directory}/tool`]: 'x', [`${directory}/config.json`]: '', [`${directory}/sub/x`]: 'x' };
    expect(ruled(see([directory], files))).toEqual([`${directory}/tool programs`]);
  });
  test('hides in it what is private and no program, sockets, and what begins with a dot', () => {
    const files = {
      '~/dev/tools/run': 'private x',
      '~/dev/tools/common.sh': '',
      '~/dev/tools/group.sh': 'shared',
      '~/dev/tools/token': 'private',
      '~/dev/tools/.env': '',
      '~/dev/tools/agent.sock': 'socket',
      '~/dev/tools/.git/config': '',
      '~/dev/tools/keys/a': 'private',
      '~/dev/tools/keys/b': 'private',
      '~/dev/tools/sub/key': 'private',
      '~/dev/tools/sub/run': 'x',
      '~/dev/tools/node_modules/.bin/a': 'private',
    };
    const visible = see(['~/dev/tools'], files);
    expect(ruled(visible)).toEqual(['~/dev/tools directory']);
    expect(hidden(visible)).toEqual(
      ['group.sh', 'token', '.env', 'agent.sock', '.git', 'keys', 'sub/key'].map((name) => `~/dev/tools/${name}`),
    );
  });
  test('with very many private files shows its programs alone', () => {
    const secrets = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`~/notes/${at}`, 'private']));
    expect(ruled(see(['~/notes'], { '~/notes/run': 'x', ...secrets }))).toEqual(['~/notes/run programs']);
  });
  test('that is too large is not looked through, and shows nothing', () => {
    const many = Object.fromEntries(Array.from({ length: 11_000 }, (_, at) => [`~/huge/${at}`, 'x']));
    const visible = see(['~/huge'], many);
    expect(visible).toMatchObject({ shown: [], left: [{ path: `${home}/huge`, why: 'too-much' }] });
  });
  test.each(['', 'bin', './bin', '../bin', '~/gone', '~/proj/node_modules/.bin'])(
    'such as "%s" does not count',
    (entry) => {
      expect(see([entry], { '~/proj/node_modules/.bin/a': 'x' })).toMatchObject({ path: [], shown: [] });
    },
  );
  test('inside the checkout or the state directory is never visible, whichever link leads there', () => {
    const files = { '~/dev/repo/bin/a': 'x', '~/tools': '-> ~/dev/repo/bin', '~/state/bin/a': 'x' };
    const visible = see(['~/dev/repo/bin', '~/tools', '~/state/bin'], files, { closed: ['~/dev/repo', '~/state'] });
    expect(visible).toMatchObject({ path: [], shown: [], links: [] });
    expect(visible.left.map(({ why }) => why)).toEqual(['closed', 'closed', 'closed']);
  });
  test('above the checkout shows its programs alone, and no library that holds the checkout', () => {
    const files = { '~/dev/run': 'x', '~/dev/repo/a': '', '~/opt/bin/b': 'x', '~/opt/lib/repo/a': '' };
    const visible = see(['~/dev', '~/opt/bin'], files, { closed: ['~/dev/repo', '~/opt/lib/repo'] });
    expect(shown(visible)).toEqual(['~/dev/run', '~/opt/bin']);
  });
  test('in what the fence makes anew is left out; a link from there is followed', () => {
    const files = {
      '/run/user/1/fnm_multishells/2': '-> ~/.local/share/fnm/node-versions/v24/installation',
      '~/.local/share/fnm/node-versions/v24/installation/bin/node': 'x',
      '/run/tools/a': 'x',
    };
    const visible = see(['/run/user/1/fnm_multishells/2/bin', '/run/tools'], files);
    const real = `${home}/.local/share/fnm/node-versions/v24/installation/bin`;
    expect(visible).toMatchObject({ path: [real], links: [], left: [{ path: '/run/tools', why: 'made-anew' }] });
    expect(ruled(visible)).toEqual([`${short(real)} fnm`]);
  });
  test('of the system needs nothing but the links that lead there', () => {
    const files = { '~/.nix-profile': '-> /nix/store/p', '/nix/store/p/bin/a': 'x', '/usr/bin/b': 'x' };
    const visible = see(['~/.nix-profile/bin', '/usr/bin'], files);
    expect(visible).toMatchObject({ shown: [], links: [{ path: `${home}/.nix-profile`, to: '/nix/store/p' }] });
  });
});

describe('a link on the PATH', () => {
  test('shows the one file that it leads to, and each link on the way', () => {
    const files = {
      '~/bin/tool': '-> ~/.local/bin/tool',
      '~/.local/bin/tool': '-> ../opt/tool-2/tool',
      '~/.local/opt/tool-2/tool': 'x',
      '~/.local/opt/tool-2/license.key': '',
    };
    const visible = see(['~/bin'], files);
    expect(ruled(visible)).toEqual(['~/bin directory', '~/.local/opt/tool-2/tool program']);
    expect(visible.links).toEqual([{ path: `${home}/.local/bin/tool`, to: '../opt/tool-2/tool' }]);
  });
  test('shows the package that it leads to, without its private files', () => {
    const files = {
      '~/bin/cli': '-> ~/dev/cli/dist/main.js',
      '~/dev/cli/dist/main.js': 'x',
      '~/dev/cli/package.json': '',
      '~/dev/cli/.env': '',
      '~/dev/other/secret': '',
    };
    const visible = see(['~/bin'], files);
    expect(ruled(visible)).toEqual(['~/bin directory', '~/dev/cli package']);
    expect(hidden(visible)).toEqual(['~/dev/cli/.env']);
  });
  test('shows installed packages with their siblings', () => {
    const files = {
      '~/.yarn/bin/cli': '-> ../../.config/yarn/global/node_modules/.bin/cli',
      '~/.config/yarn/global/node_modules/.bin/cli': '-> ../cli/main.js',
      '~/.config/yarn/global/node_modules/cli/main.js': 'x',
      '~/.config/yarn/global/.npmrc': '',
    };
    expect(shown(see(['~/.yarn/bin'], files))).toEqual(['~/.yarn/bin', '~/.config/yarn/global/node_modules']);
  });
  test.each(['~', '~/.config', '~/.config/app', '~/.local/share', '~/.docker'])(
    'never shows %s as a package, whatever lies in it',
    (directory) => {
      const files = {
        '~/bin/a': `-> ${directory}/a.js`,
        [`${directory}/a.js`]: 'x',
        [`${directory}/package.json`]: '',
      };
      expect(shown(see(['~/bin'], files))).toEqual(['~/bin', `${directory}/a.js`]);
    },
  );
  test('shows nothing of the checkout, no directory, and nothing that is not a program', () => {
    const files = {
      '~/bin/own': '-> ~/repo/cli.js',
      '~/repo/cli.js': 'x',
      '~/repo/package.json': '',
      '~/bin/config': '-> ~/.config',
      '~/.config/a': '',
      '~/bin/key': '-> ~/.ssh/id',
      '~/.ssh/id': 'private',
      '~/bin/loop': '-> loop',
      '~/bin/gone': '-> nowhere',
    };
    expect(shown(see(['~/bin'], files, { closed: ['~/repo'] }))).toEqual(['~/bin']);
  });
  test('leads through several managers: a tool of pipx on a Python of uv', () => {
    const python = '~/.local/share/uv/python/cpython-3.13/bin/python3.13';
    const files = {
      '~/.local/bin/black': '-> ~/.local/share/pipx/venvs/black/bin/black',
      '~/.local/share/pipx/venvs/black/bin/black': 'x',
      '~/.local/share/pipx/venvs/black/pyvenv.cfg': '',
      '~/.local/share/pipx/venvs/black/bin/python': `-> ${python}`,
      [python]: 'x',
      '~/.local/share/uv/credentials/credentials.toml': '',
    };
    expect(ruled(see(['~/.local/bin'], files))).toEqual([
      '~/.local/bin directory',
      '~/.local/share/pipx/venvs pipx',
      '~/.local/share/uv/python uv',
    ]);
  });
});

describe('a row of the table', () => {
  test('shows only the installation that is used, and never its credentials', () => {
    const at = '~/.nvm/versions/node';
    const files = {
      [`${at}/v24/bin/node`]: 'x',
      [`${at}/v24/lib/a`]: '',
      [`${at}/v24/etc/npmrc`]: '',
      [`${at}/v22/bin/node`]: 'x',
    };
    expect(ruled(see([`${at}/v24/bin`], files))).toEqual([`${at}/v24/bin nvm`, `${at}/v24/lib nvm`]);
  });
  test('shows private files too: under umask 077 all are', () => {
    const files = {
      '~/.pyenv/shims/python': 'private x',
      '~/.pyenv/versions/3/lib/os.py': 'private',
      '~/.pyenv/versions/3/pip.conf': '',
    };
    const visible = see(['~/.pyenv/shims'], files);
    expect(shown(visible)).toEqual(['~/.pyenv/shims', '~/.pyenv/versions']);
    expect(hidden(visible)).toEqual(['~/.pyenv/versions/3/pip.conf']);
  });
  test('lies where its variable says, which its programs are told', () => {
    const files = {
      '~/.cargo/bin/cargo': 'x',
      '/data/rust/toolchains/stable/bin/cargo': 'x',
      '~/.rustup/settings.toml': '',
    };
    const visible = see(['~/.cargo/bin'], files, {
      variables: { RUSTUP_HOME: '/data/rust', CARGO_HOME: `${home}/.cargo` },
    });
    expect(ruled(visible)).toEqual([
      '~/.cargo/bin rustup',
      '/data/rust/toolchains rustup',
      '~/.rustup/settings.toml rustup',
    ]);
    expect(visible.variables).toEqual({ RUSTUP_HOME: '/data/rust' });
  });
  test('at home itself does not count', () => {
    const files = { '~/bin/a': 'x', '~/bin/token': 'private', '~/share/a': '' };
    const visible = see(['~/bin'], files, { variables: { HOMEBREW_PREFIX: home } });
    expect(ruled(visible)).toEqual(['~/bin directory']);
  });
  test('may be reached by a link, which is there in the fence', () => {
    const files = { '~/.pyenv': '-> /data/pyenv', '/data/pyenv/shims/a': 'x', '/data/pyenv/versions/3/bin/a': 'x' };
    const visible = see(['~/.pyenv/shims'], files);
    expect(visible.path).toEqual([`${home}/.pyenv/shims`]);
    expect(shown(visible)).toEqual(['/data/pyenv/shims', '/data/pyenv/versions']);
    expect(visible.links).toEqual([{ path: `${home}/.pyenv`, to: '/data/pyenv' }]);
  });
  test.each([
    ['[tools]\nnode = "24"\n', true],
    ['# mine\nmin_version = "1"\n[tools]\nnode = "24"\n[alias.node]\nlts = "24"', true],
    ['[tools]\nnode = "24"\n[env]\nTOKEN = "x"\n', false],
    ['env.TOKEN = "x"\n[tools]\n', false],
    ['[tools]\na = """\n"""\n', false],
  ])('shows its list of tools only while that is nothing else: %j', (text, isShown) => {
    const config = '~/.config/mise/config.toml';
    const files = { '~/.local/share/mise/shims/node': 'x', [config]: text };
    expect(shown(see(['~/.local/share/mise/shims'], files)).includes(config)).toBe(isShown);
  });
  test('names credentials that are hidden by whatever rule their directory is shown', () => {
    const files = { '~/bin/a': '-> ~/.local/share/opencode/main.js', '~/.local/share/opencode/main.js': 'x' };
    const rest = {
      '~/.local/share/opencode/package.json': '',
      '~/.local/share/opencode/auth.json': '',
      '~/.opencode/bin/b': 'x',
    };
    const visible = see(['~/bin'], { ...files, ...rest });
    expect(shown(visible)).toEqual(['~/bin', '~/.local/share/opencode']);
    expect(hidden(visible)).toEqual(['~/.local/share/opencode/auth.json']);
  });
  test('hides credentials where they really lie, whichever links lead there', () => {
    const files = {
      '~/.volta/bin/node': 'x',
      '~/.volta/tools': '-> /data/vt',
      '/data/vt/image/node/22/bin/node': 'x',
      '/data/vt/image/node/22/etc/npmrc': '',
      '/data/vt/image/node/24/etc': '-> /data/vt/shared',
      '/data/vt/shared/npmrc': '',
    };
    const visible = see(['~/.volta/bin'], files);
    expect(shown(visible)).toEqual(['~/.volta/bin', '/data/vt']);
    expect(hidden(visible)).toEqual(['/data/vt/image/node/22/etc', '/data/vt/shared']);
  });
});

test('home may be reached by a link: all is by its real name, and where that is', () => {
  const files = { '/data/ann/.nvm/versions/node/v24/bin/node': 'x', '/home/ann': '-> /data/ann' };
  const wanted = { path: ['/home/ann/.nvm/versions/node/v24/bin'], home, closed: [], variables: {} };
  expect(visibleByPath(wanted, tree(files))).toMatchObject({
    home: '/data/ann',
    path: wanted.path,
    shown: [{ path: '/data/ann/.nvm/versions/node/v24/bin', rule: { rule: 'row', row: 'nvm' } }],
    links: [],
  });
});
