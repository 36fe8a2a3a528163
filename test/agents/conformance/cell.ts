/** What a real run showed: the behaviour holds, or the agent itself has no means for it. Anything else fails its test. */
export type Cell = 'yes' | `agent cannot: ${string}`;

export const yes: Cell = 'yes';
export const cannot = (why: string): Cell => `agent cannot: ${why}`;

/** `held` when the run shows it; `why` the agent cannot, when the run shows that instead. */
export const either = (held: boolean, why: string): Cell => (held ? yes : cannot(why));
