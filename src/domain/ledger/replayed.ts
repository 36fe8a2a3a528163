/** An event whose replay from the same evidence differs from the ledger. */
export type Difference = { readonly seq: number; readonly detail: string };

/** A verdict or decision by an earlier version of its rules, which is not replayed. `rules`: a gate, or a kind of decision. */
export type Earlier = { readonly seq: number; readonly rules: string; readonly version: number };
