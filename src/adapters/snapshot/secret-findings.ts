import type { Finding } from '../../domain/findings/finding.ts';
import { findObject, objectChunks, parsePointer } from '../git/lfs/index.ts';
import type { ObjectReader } from '../git/process/index.ts';
import type { RawDiffEntry, TreeEntry } from '../git/read/index.ts';
import { knownValue, type SecretScan, secretScan } from './secrets.ts';

/**
 * Only what the change brings in: a match that the base's version of the file has as well is not reported. Content that
 * came from an earlier attempt was not read now, so it is taken from the repository, and from a store where a pointer
 * stands for it.
 */
export async function secretFindings(input: {
  readonly objects: ObjectReader;
  readonly raw: readonly RawDiffEntry[];
  readonly baseTree: readonly TreeEntry[];
  readonly scans: ReadonlyMap<string, SecretScan>;
  readonly values: readonly string[];
  readonly stores: () => Promise<readonly string[]>;
}): Promise<readonly Finding[]> {
  const scanBlob = async (id: string) => {
    const scan = secretScan(input.values);
    const bytes = (await input.objects.read(id)) ?? Buffer.alloc(0);
    scan.push(bytes);
    const pointer = parsePointer(bytes);
    const object = pointer === null ? null : findObject(await input.stores(), pointer);
    if (object !== null) for await (const chunk of objectChunks(object)) scan.push(chunk);
    return scan;
  };
  const findings: Finding[] = [];
  for (const { path, change, id } of input.raw) {
    if (change === 'deleted') continue;
    const scan = input.scans.get(path) ?? (await scanBlob(id));
    if (scan.matches().size === 0) continue;
    const before = input.baseTree.find((entry) => entry.path === path);
    for (const rule of scan.rulesBeyond(before === undefined ? null : await scanBlob(before.id)))
      findings.push(secretAt(path, rule));
  }
  return findings;
}

const secretAt = (path: string, rule: string): Finding =>
  rule === knownValue
    ? { rule: knownValue, where: path, in: 'content' }
    : { rule: 'secret-shape', shape: rule, where: path, in: 'content' };
