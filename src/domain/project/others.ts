import type { Directory, ProjectPart } from './project.ts';

const nothing = { setup: null, checks: [], generated: {}, makes: [], notes: [] } as const;

/** Crates are kept below `target`, because the next fence has another home. */
export function cargoPart(directory: Directory): ProjectPart | null {
  const text = directory.text('Cargo.toml');
  if (text === null) return null;
  const hasLock = directory.has('Cargo.lock');
  const generated = hasLock ? { 'Cargo.lock': 'cargo update --workspace' } : {};
  const isAlone = hasLock
    ? !/^\[\[package\]\][^[]*^source\s*=/m.test(directory.text('Cargo.lock') ?? '')
    : !/^\[.*dependencies[.\]]/m.test(text);
  if (isAlone) return { ...nothing, tool: 'cargo', checks: [{ name: 'test', run: 'cargo test --offline' }], generated };
  const home = 'CARGO_HOME="$PWD/target/crates"';
  return {
    ...nothing,
    tool: 'cargo',
    setup: `${home} cargo fetch${hasLock ? ' --locked' : ''}`,
    checks: [{ name: 'test', run: `${home} cargo test --offline` }],
    generated,
    makes: ['target'],
  };
}

/** Modules can only be brought along as `vendor`, and that must not count as work. */
export function goPart(directory: Directory): ProjectPart | null {
  const text = directory.text('go.mod');
  if (text === null) return null;
  const part: ProjectPart = {
    ...nothing,
    tool: 'go',
    checks: [{ name: 'test', run: 'go test ./...' }],
    generated: directory.has('go.sum') ? { 'go.sum': 'go mod tidy' } : {},
  };
  const isVendored = directory.files.some((path) => path.startsWith('vendor/'));
  if (isVendored || !/^\s*require\b/m.test(text)) return part;
  if (directory.wouldIgnore('vendor')) return { ...part, setup: 'go mod vendor', makes: ['vendor'] };
  const note =
    'checks have no network: commit vendor/, or put /vendor/ into .gitignore and write `setup: go mod vendor`';
  return { ...part, notes: [note] };
}

export function makePart(directory: Directory): ProjectPart | null {
  const text = directory.text('Makefile') ?? directory.text('makefile');
  if (text === null) return null;
  const targets = ['test', 'check', 'lint', 'typecheck'].filter((name) =>
    new RegExp(`^${name}\\s*:(?!=)`, 'm').test(text),
  );
  const checks = targets.filter((name) => name !== 'check' || !targets.includes('test'));
  return checks.length === 0
    ? null
    : { ...nothing, tool: 'make', checks: checks.map((name) => ({ name, run: `make ${name}` })) };
}

export const scriptPart = (directory: Directory): ProjectPart | null =>
  directory.has('test.sh') ? { ...nothing, tool: 'sh', checks: [{ name: 'test', run: 'sh test.sh' }] } : null;
