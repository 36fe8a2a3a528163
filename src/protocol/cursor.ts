/**
 * A place in the events of one repository: `<seq>` is an event of the ledger, `<seq>.<part>` one of those that were made from it.
 * Whoever resumes after a cursor gets exactly what follows it.
 */
export type Cursor = { readonly seq: number; readonly part: number };

/** Before the first event. */
export const beginning: Cursor = { seq: 0, part: 0 };

export const cursorPattern = /^(0|[1-9]\d{0,14})(?:\.([1-9]\d?))?$/;

export function parseCursor(text: string): Cursor | null {
  const [, seq, part = '0'] = cursorPattern.exec(text) ?? [];
  return seq === undefined ? null : { seq: Number(seq), part: Number(part) };
}

export const formatCursor = ({ seq, part }: Cursor): string => (part === 0 ? `${seq}` : `${seq}.${part}`);

export const isAfter = (a: Cursor, b: Cursor): boolean => a.seq > b.seq || (a.seq === b.seq && a.part > b.part);
