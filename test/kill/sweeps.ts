import { type Scenario, scenarios } from '../support/kill.ts';
import { durableWritesOf, type Subject, strikeAt, type Target } from '../support/strike.ts';

/** Whose durable writes are struck in which scenario. `kills`: how many of them in the normal test run. */
export type Sweep = { readonly scenario: Scenario; readonly of: Subject; readonly kills: number };

export const sweeps: readonly Sweep[] = [
  ...sweepsOf('a run from order to landing', {
    coordinator: 3,
    "coordinator's git": 0,
    merger: 3,
    "merger's git": 2,
    supervisor: 3,
    "supervisor's git": 2,
  }),
  ...sweepsOf('a landed run undone', { coordinator: 0, merger: 1, "merger's git": 1 }),
  ...sweepsOf('a run that gets another plan', { coordinator: 1, merger: 0, supervisor: 0 }),
  ...sweepsOf('a wave that closure roles judge', { coordinator: 1, merger: 1, "merger's git": 0 }),
  ...sweepsOf('a conflict that a resolver resolves', { coordinator: 1, merger: 1, supervisor: 0 }),
  ...sweepsOf('a wave of which a person lets a part run again', { coordinator: 1 }),
  ...sweepsOf('a decision for all runs that a run takes over', { coordinator: 1 }),
  ...sweepsOf('an agent that speaks a protocol', { supervisor: 1 }),
];

/** Names one kill, so that it can be done again alone. */
export const labelOf = ({ name }: Scenario, { of, one, call, at }: Target): string =>
  `${name}: ${of}, ${one}, ${call} ${at}`;

export type Struck = { readonly label: string; readonly reached: boolean; readonly problems: readonly string[] };

/** Which git or supervisor comes when is not the same in every run: what was not reached is tried again. */
export async function strike({ scenario }: Sweep, target: Target, tries = 1): Promise<Struck> {
  const label = labelOf(scenario, target);
  for (let left = tries; left > 0; left -= 1) {
    const { reached, problems } = await strikeAt(scenario, target).catch((cause: unknown) => ({
      reached: true,
      problems: [String(cause)],
    }));
    if (reached) return { label, reached, problems };
  }
  return { label, reached: false, problems: [] };
}

export const targetsOf = ({ scenario, of }: Sweep): Promise<readonly Target[]> => durableWritesOf(scenario, of);

function sweepsOf(name: string, kills: Partial<Record<Subject, number>>): readonly Sweep[] {
  const scenario = scenarios.find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario "${name}"`);
  return Object.entries(kills).map(([of, count]) => ({ scenario, of: of as Subject, kills: count }));
}
