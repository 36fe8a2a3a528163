/** The known name that a mistyped one most likely stands for, if any is near. */
export function nearest(typed: string, known: readonly string[]): string | null {
  const limit = Math.max(1, Math.floor(typed.length * 0.4));
  const ranked = known
    .map((name) => ({ name, distance: name.startsWith(typed) && typed.length > 1 ? 0.5 : distance(typed, name) }))
    .filter((candidate) => candidate.distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.name ?? null;
}

/** Edits, with neighbours swapped counted as one. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + same, swapped));
    }
  }
  return at(a.length, b.length);
}
