import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { shownPath } from '../../domain/base/paths.ts';
import type { PlannedProof } from '../../domain/closure/exit-contract.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { ProofEvidence, ProofFault } from '../../domain/gates/evidence.ts';
import { openMode, openWay } from '../files/agent-files.ts';
import { hasCode } from '../files/state-file.ts';
import { statPrint } from '../files/workspace-record.ts';
import { keepObject, OtherContent } from '../git/lfs/index.ts';
import type { ObjectReader } from '../git/process/index.ts';
import type { TreeEntry } from '../git/read/index.ts';
import { blobHash, contentOf, type SizeLimits, WorkspaceMoved } from './changes.ts';
import { type SecretScan, secretAt, secretScan } from './secrets.ts';
import { isGitName, lookAt, type WalkedFile } from './walk.ts';

export type ProofRequest = {
  readonly root: string;
  readonly proofs: readonly PlannedProof[];
  /** Directory of the evidence store, outside the workspace. */
  readonly store: string;
  /** Names a file of the store that no other process uses meanwhile. */
  readonly scratch: string;
  readonly objects: ObjectReader;
  readonly baseTree: readonly TreeEntry[];
  /** The tree that the workspace was made from. */
  readonly from: ReadonlyMap<string, TreeEntry>;
  /** path → print of the files that were there before the attempt. */
  readonly prints: ReadonlyMap<string, string>;
  readonly format: 'sha1' | 'sha256';
  /** Exact values that must not be kept. */
  readonly secrets: readonly string[];
  readonly limits: SizeLimits;
};

export type TakenProofs = {
  readonly proofs: readonly ProofEvidence[];
  readonly refused: readonly Finding[];
  readonly secrets: readonly Finding[];
};

/**
 * Takes each declared proof of a workspace into the evidence store, whether git ignores it or not. A proof is a plain file with
 * content that this attempt wrote. Opens nothing else, follows no link, and keeps no content with a secret in it. Repeating it gives the same.
 */
export async function takeProofs(request: ProofRequest): Promise<TakenProofs> {
  const proofs: ProofEvidence[] = [];
  const refused: Finding[] = [];
  const secrets: Finding[] = [];
  let total = 0;
  for (const { path, kind } of request.proofs) {
    const seen = seeProof(request, path, request.limits.total - total);
    const named = { path, ...(kind === undefined ? {} : { kind }) };
    if ('fault' in seen) {
      proofs.push({ ...named, fault: seen.fault });
      refused.push(...seen.refused);
      continue;
    }
    const found = await secretsIn(request, path, seen.scan);
    secrets.push(...found);
    if (found.length > 0) {
      proofs.push({ ...named, fault: 'withheld' });
      continue;
    }
    await keep(request, seen);
    total += seen.bytes;
    proofs.push({ ...named, sha256: seen.sha256, bytes: seen.bytes });
  }
  return { proofs, refused, secrets };
}

type Seen = { readonly file: WalkedFile; readonly sha256: string; readonly bytes: number; readonly scan: SecretScan };
type Unfit = { readonly fault: ProofFault; readonly refused: readonly Finding[] };

const unfit = (fault: ProofFault, ...refused: readonly Finding[]): Unfit => ({ fault, refused });

function seeProof(request: ProofRequest, path: string, left: number): Seen | Unfit {
  const file = plainFile(request.root, path);
  if (typeof file === 'string') return unfit(file);
  const bytes = Number(file.stats.size);
  if (bytes === 0) return unfit('empty');
  const limit = bytes > request.limits.file ? 'file' : bytes > left ? 'total' : null;
  if (limit !== null) {
    const where = shownPath(Buffer.from(path));
    return unfit('withheld', { rule: 'too-large', where, limit, bytes: request.limits[limit] });
  }
  const content = readProof(request, file);
  if (content === null) return unfit('unreadable');
  return isUnchanged(request, file, content.id) ? unfit('unchanged') : { file, bytes, ...content };
}

/** The file at the end of a way of real directories. */
function plainFile(root: string, path: string): WalkedFile | ProofFault {
  const parts = path.split('/');
  if (parts.some((part) => ['', '.', '..'].includes(part) || isGitName(part))) return 'not-a-file';
  openWay(root, path);
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const stats = lookAt([root, ...parts.slice(0, depth)].join('/'));
    const fault = faultOf(stats, depth === parts.length);
    if (fault !== null) return fault;
    if (depth < parts.length || typeof stats !== 'object') continue;
    openMode(`${root}/${path}`, stats);
    return { path, stats };
  }
  return 'absent';
}

function faultOf(stats: ReturnType<typeof lookAt>, isLast: boolean): ProofFault | null {
  if (stats === 'absent') return 'absent';
  if (typeof stats === 'string') return 'unreadable';
  return isWanted(stats, isLast) ? null : 'not-a-file';
}

const isWanted = (stats: BigIntStats, isLast: boolean): boolean => (isLast ? stats.isFile() : stats.isDirectory());

/** Null when its mode keeps us out. */
function readProof(
  { root, secrets, format }: ProofRequest,
  file: WalkedFile,
): (Pick<Seen, 'sha256' | 'scan'> & { readonly id: string }) | null {
  const hash = createHash('sha256');
  const blob = blobHash(Number(file.stats.size), format);
  const scan = secretScan(secrets);
  try {
    for (const chunk of contentOf(root, file)) {
      hash.update(chunk);
      blob.update(chunk);
      scan.push(chunk);
    }
  } catch (error) {
    if (!hasCode(error, 'EACCES', 'EPERM')) throw error;
    return null;
  }
  return { sha256: hash.digest('hex'), id: blob.digest('hex'), scan };
}

/** A file that was there before the attempt says nothing about its work, if it did not write it or has the same content as before. */
const isUnchanged = ({ prints, from }: ProofRequest, { path, stats }: WalkedFile, id: string): boolean =>
  from.get(path)?.id === id || prints.get(path) === statPrint(stats);

/** Leaves out what the base's version of the file has as well. */
async function secretsIn(
  { objects, baseTree, secrets }: ProofRequest,
  path: string,
  scan: SecretScan,
): Promise<readonly Finding[]> {
  if (scan.matches().size === 0) return [];
  const before = baseTree.find((entry) => entry.path === path);
  const old = secretScan(secrets);
  if (before !== undefined) old.push((await objects.read(before.id)) ?? Buffer.alloc(0));
  return scan.rulesBeyond(old).map((rule) => secretAt(path, rule));
}

async function keep({ root, store, scratch }: ProofRequest, { file, sha256, bytes }: Seen): Promise<void> {
  const chunks = contentOf(root, file);
  await keepObject(store, { oid: sha256, size: bytes }, { chunks, scratch }).catch((error: unknown) => {
    throw error instanceof OtherContent ? new WorkspaceMoved(file.path) : error;
  });
}
