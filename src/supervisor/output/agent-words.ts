/** The end of what an agent printed or said, for the marker lines of a closure role. */
export type AgentWords = {
  add(chunk: Uint8Array | string): void;
  text(): string;
};

/** As much as a report at the end can need. */
const longest = 64 << 10;

/** Keeps the last 64 KB, from the beginning of a line. */
export function hearAgent(most = longest): AgentWords {
  let kept = Buffer.alloc(0);
  let isCut = false;
  return {
    add(chunk) {
      kept = Buffer.concat([kept, Buffer.from(chunk)]);
      // twice as much before it is cut, so that small chunks do not copy all of it each time
      if (kept.length <= most * 2) return;
      kept = Buffer.from(kept.subarray(kept.length - most));
      isCut = true;
    },
    text() {
      const text = kept.subarray(Math.max(0, kept.length - most)).toString('utf8');
      return isCut || kept.length > most ? text.slice(text.indexOf('\n') + 1) : text;
    },
  };
}

/** Hears nothing: only a closure role can report in its output. */
export const deafToAgent: AgentWords = { add: () => undefined, text: () => '' };
