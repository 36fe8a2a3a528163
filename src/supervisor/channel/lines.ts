const longest = 16 << 20;

/**
 * Whole lines out of chunks. A line that is longer than any document of an agent is given up to its end: memory stays
 * bounded, and what it was is in the log.
 */
export function splitLines(take: (line: string) => void, limit = longest) {
  let parts: Buffer[] = [];
  let size = 0;
  let skipping = false;
  const flush = (): void => {
    if (!skipping && size > 0) take(Buffer.concat(parts).toString('utf8').replace(/\r$/, ''));
    parts = [];
    size = 0;
    skipping = false;
  };
  return {
    write(chunk: Uint8Array): void {
      let from = 0;
      for (let end = chunk.indexOf(10, from); end >= 0; end = chunk.indexOf(10, from)) {
        keep(chunk.subarray(from, end));
        flush();
        from = end + 1;
      }
      keep(chunk.subarray(from));
    },
    /** What came after the last line end. */
    end: flush,
  };
  function keep(piece: Uint8Array): void {
    if (piece.length === 0 || skipping) return;
    size += piece.length;
    skipping = size > limit;
    // copied: the chunk's buffer is used again
    if (skipping) parts = [];
    else parts.push(Buffer.from(piece));
  }
}
