/** `42s`, `3m 07s`, `2h 05m`, `4d 3h`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ${two(minutes % 60)}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

/** Two digits, as on a clock. */
export const two = (count: number): string => String(count).padStart(2, '0');
