/** A place where deciding again from the same evidence says something else than the ledger. */
export type Difference = { readonly seq: number; readonly detail: string };

/** A verdict or decision of an earlier version of its rules: it stands as it was recorded. `rules`: a gate, or a kind of decision. */
export type Earlier = { readonly seq: number; readonly rules: string; readonly version: number };
