/** Hexadecimal SHA-256 of a text; an argument, because the domain imports nothing. */
export type Sha256 = (text: string) => string;

/** One record as it is stored; `body` is the event's JSON, byte for byte what was hashed. */
export type ChainLink = {
  readonly seq: number;
  readonly stream: string;
  readonly position: number;
  readonly epoch: number;
  readonly at: string;
  readonly body: string;
  readonly hash: string;
};

/** Where a chain ends. */
export type ChainTip = { readonly seq: number; readonly hash: string };

export const genesis: ChainTip = { seq: 0, hash: '0'.repeat(64) };

/** The hash of the record that follows `previous`. The text is canonical JSON with its keys written out in order. */
export function linkHash(sha256: Sha256, previous: string, link: Omit<ChainLink, 'hash'>): string {
  const { at, epoch, body, position, seq, stream } = link;
  return sha256(
    `${previous}{"at":${JSON.stringify(at)},"epoch":${epoch},"event":${body},"position":${position},"seq":${seq},"stream":${JSON.stringify(stream)}}`,
  );
}

type ChainWalk = {
  /** Takes the next record; says what is wrong with it, or null. */
  readonly step: (link: ChainLink) => string | null;
  readonly tip: () => ChainTip;
  /** The highest epoch seen. */
  readonly epoch: () => number;
};

/** Walks a chain from `from`, record by record. Positions and epochs are held against those already seen. */
export function walkChain(sha256: Sha256, from: ChainTip = genesis): ChainWalk {
  const positions = new Map<string, number>();
  let tip = from;
  let epoch = 0;
  const problemOf = (link: ChainLink): string | null => {
    if (link.seq !== tip.seq + 1) return `expected seq ${tip.seq + 1}, found ${link.seq}`;
    if (link.hash !== linkHash(sha256, tip.hash, link))
      return 'its hash does not follow from the record and the one before';
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
