/** What a program or the system said, as a finding holds it: not for ever long. */
export function boundedWords(text: string, most = 1_000): string {
  const words = text.trim();
  return words.length <= most ? words : `${words.slice(0, most)}…`;
}
