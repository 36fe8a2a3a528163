/** Levels of a component, in order. A wave may advance it by one level. */
export const maturity = [
  'inventoried',
  'contract-frozen',
  'repo-landed',
  'baseline-proved',
  'pilot-live',
  'qa-proved',
  'fleet-ready',
  'cutover-ready',
  'deprecation-ready',
] as const;
export type Maturity = (typeof maturity)[number];

/** Tells whether one wave may move a component so far: one level up, or none. */
export function isStep(from: Maturity, to: Maturity): boolean {
  const steps = maturity.indexOf(to) - maturity.indexOf(from);
  return steps === 0 || steps === 1;
}

/** Returns the level nearest to `to` that one wave may reach. */
export function stepTowards(from: Maturity, to: Maturity): Maturity {
  const at = maturity.indexOf(from);
  return maturity[Math.min(maturity.indexOf(to), at + 1)] ?? to;
}
