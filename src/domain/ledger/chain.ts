/** Returns the hexadecimal SHA-256 of a text. Passed in, because the domain imports no library. */
export type Sha256 = (text: string) => string;

/** A stored record. `body` is the event's JSON exactly as it was hashed. */
export type ChainLink = {
  readonly seq: number;
  readonly stream: string;
  readonly position: number;
  readonly epoch: number;
  readonly at: string;
  readonly body: string;
  readonly hash: string;
};

/** The last record of a chain. */
export type ChainTip = { readonly seq: number; readonly hash: string };

export const genesis: ChainTip = { seq: 0, hash: '0'.repeat(64) };

/** Returns the hash of the record after `previous`. The hashed text is canonical JSON with its keys in order. */
export function linkHash(sha256: Sha256, previous: string, link: Omit<ChainLink, 'hash'>): string {
  const { at, epoch, body, position, seq, stream } = link;
  return sha256(
    `${previous}{"at":${JSON.stringify(at)},"epoch":${epoch},"event":${body},"position":${position},"seq":${seq},"stream":${JSON.stringify(stream)}}`,
  );
}

type ChainWalk = {
  /** Checks the next record. Returns the problem, or null. */
  readonly step: (link: ChainLink) => string | null;
  readonly tip: () => ChainTip;
  /** Returns the highest epoch so far. */
  readonly epoch: () => number;
};

/** Verifies a chain record by record: sequence, hash, positions in streams, epochs. */
export function walkChain(sha256: Sha256, from: ChainTip = genesis): ChainWalk {
  const positions = new Map<string, number>();
  let tip = from;
  let epoch = 0;
  const problemOf = (link: ChainLink): string | null => {
    if (link.seq !== tip.seq + 1) return `expected seq ${tip.seq + 1}, found ${link.seq}`;
    if (link.hash !== linkHash(sha256, tip.hash, link))
      return 'its hash does not match the record and the hash before it';
    const before = positions.get(link.stream) ?? (from.seq === 0 ? 0 : link.position - 1);
    if (link.position !== before + 1)
      return `expected position ${before + 1} in ${link.stream}, found ${link.position}`;
    if (link.epoch !== 0 && link.epoch < epoch) return `epoch ${link.epoch} after epoch ${epoch}`;
    return null;
  };
  const step = (link: ChainLink): string | null => {
    const problem = problemOf(link);
    if (problem !== null) return problem;
    positions.set(link.stream, link.position);
    epoch = Math.max(epoch, link.epoch);
    tip = { seq: link.seq, hash: link.hash };
    return null;
  };
  return { step, tip: () => tip, epoch: () => epoch };
}
