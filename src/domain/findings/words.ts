import { maskShapes } from '../secrets/secret-shapes.ts';

/** Words of a program or of the system, cut to the length that a finding may hold. Masked first: a part of a secret is not known as one. */
export function boundedWords(text: string, most = 1_000): string {
  const words = maskShapes(text.trim());
  return words.length <= most ? words : `${words.slice(0, most)}…`;
}
