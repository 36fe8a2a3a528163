import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { statPrint } from '../files/workspace-record.ts';
import { objectPath } from '../git/lfs/index.ts';
import { type ProofRequest, takeProofs } from './proofs.ts';

/** A workspace and an evidence store beside it. */
function scene() {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-proofs-')));
  const root = join(place, 'workspace');
  const store = join(place, 'evidence');
  mkdirSync(root);
  const take = (paths: readonly string[], change: Partial<ProofRequest> = {}) =>
    takeProofs({
      ...{ root, store, scratch: 'one', proofs: paths.map((path) => ({ path })), baseTree: [], from: new Map() },
      ...{ objects: { read: async () => null } as unknown as ProofRequest['objects'], prints: new Map() },
      ...{ format: 'sha1' as const, secrets: ['hunter2-hunter2'], limits: { file: 100, total: 150, lfs: 0 } },
      ...change,
    });
  const write = (path: string, content = 'proof\n') => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  const kept = () =>
    existsSync(store)
      ? readdirSync(store, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      : [];
  return { place, root, store, take, write, kept, [Symbol.dispose]: () => rmSync(place, { recursive: true }) };
}

test('a proof is kept by its hash, once, and taking it again gives the same', async () => {
  using s = scene();
  s.write('out/a.txt');
  s.write('out/b.txt');
  const taken = await s.take(['out/a.txt', 'out/b.txt']);
  expect(taken).toMatchObject({ proofs: [{ path: 'out/a.txt', bytes: 6 }, { path: 'out/b.txt' }], secrets: [] });
  expect(await s.take(['out/a.txt', 'out/b.txt'])).toEqual(taken);
  const [first] = taken.proofs;
  const sha256 = first !== undefined && 'sha256' in first ? first.sha256 : '';
  expect(readFileSync(objectPath(s.store, sha256), 'utf8')).toBe('proof\n');
  expect(s.kept()).toHaveLength(1);
});

test('links, FIFOs, directories, empty files and paths that lead elsewhere are no proofs, and nothing blocks', async () => {
  using s = scene();
  mkdirSync(join(s.root, 'directory'));
  symlinkSync('/etc/passwd', join(s.root, 'link'));
  symlinkSync('/etc', join(s.root, 'elsewhere'));
  execFileSync('mkfifo', [join(s.root, 'pipe')]);
  const unfit = ['link', 'elsewhere/passwd', 'pipe', 'directory', '../outside', '.git/config', 'a//b'];
  writeFileSync(join(s.place, 'outside'), 'x');
  s.write('empty', '');
  const { proofs } = await s.take([...unfit, 'empty', 'absent', 'no/such']);
  expect(proofs).toEqual([
    ...unfit.map((path) => ({ path, fault: 'not-a-file' })),
    { path: 'empty', fault: 'empty' },
    { path: 'absent', fault: 'absent' },
    { path: 'no/such', fault: 'absent' },
  ]);
  expect(s.kept()).toEqual([]);
});

test('a mode that would keep us out is widened', async () => {
  using s = scene();
  s.write('closed/a');
  chmodSync(join(s.root, 'closed/a'), 0);
  chmodSync(join(s.root, 'closed'), 0);
  expect((await s.take(['closed/a'])).proofs).toMatchObject([{ path: 'closed/a', bytes: 6 }]);
});

test('a proof that was there before counts only when the attempt wrote it', async () => {
  using s = scene();
  s.write('a');
  const prints = new Map([['a', statPrint(lstatSync(join(s.root, 'a'), { bigint: true }))]]);
  expect((await s.take(['a'], { prints })).proofs).toEqual([{ path: 'a', fault: 'unchanged' }]);
  s.write('a');
  expect((await s.take(['a'], { prints })).proofs).toMatchObject([{ path: 'a', bytes: 6 }]);
  const id = execFileSync('git', ['hash-object', '--stdin'], { input: 'proof\n' }).toString().trim();
  const from = new Map([['a', { path: 'a', id, mode: '100644' }]]);
  // also when only its time is new
  for (const known of [new Map<string, string>(), prints])
    expect((await s.take(['a'], { prints: known, from: from as ProofRequest['from'] })).proofs).toEqual([
      { path: 'a', fault: 'unchanged' },
    ]);
});

test('a secret is found and not kept, and a proof that is too large is named', async () => {
  using s = scene();
  s.write('secret', 'it is hunter2-hunter2');
  s.write('large', 'x'.repeat(101));
  s.write('first', 'x'.repeat(90));
  s.write('second', 'y'.repeat(90));
  const taken = await s.take(['secret', 'large', 'first', 'second']);
  expect(taken.secrets).toEqual([{ rule: 'known-value', where: 'secret', in: 'content' }]);
  expect(taken.refused).toEqual([
    { rule: 'too-large', where: 'large', limit: 'file', bytes: 100 },
    { rule: 'too-large', where: 'second', limit: 'total', bytes: 150 },
  ]);
  expect(taken.proofs.map((proof) => ('fault' in proof ? proof.fault : 'taken'))).toEqual([
    ...['withheld', 'withheld', 'taken', 'withheld'],
  ]);
  expect(s.kept()).toHaveLength(1);
});
