import { canonicalJson } from '../../domain/plan/plan.ts';
import type { Fields } from '../../adapters/files/untrusted-json.ts';

const longest = 4096;

/** Returns a text that differs between two different calls. It is bounded: a written file of megabytes is not kept for it. */
export function inputKey(input: Fields, without: readonly string[] = []): string {
  const kept = Object.fromEntries(Object.entries(input).filter(([name]) => !without.includes(name)));
  const text = canonicalJson(kept);
  return text.length <= longest ? text : `${text.slice(0, longest)}…${text.length}:${checksum(text)}`;
}

function checksum(text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index += 1) sum = (sum * 31 + text.charCodeAt(index)) >>> 0;
  return sum;
}
