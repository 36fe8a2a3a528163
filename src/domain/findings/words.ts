/** Words of a program or of the system, cut to the length that a finding may hold. */
export function boundedWords(text: string, most = 1_000): string {
  const words = text.trim();
  return words.length <= most ? words : `${words.slice(0, most)}…`;
}
