import type { TapName } from '../../domain/ledger/requests.ts';
import type { RunView } from '../../view/run-view.ts';

export type TapFlags = {
  readonly yes: boolean;
  readonly land: boolean;
  /** The tasks themselves were typed: at a terminal that is the yes to their start, though not to waves that are asked for later. */
  readonly typed?: boolean;
};

/** The tap that waits for a decision, if one does. A tap on hold waits for a later approve. */
export function openTap({ state }: RunView): TapName | null {
  const names = Object.keys(state.taps) as TapName[];
  return names.find((name) => state.taps[name]?.status === 'pending') ?? null;
}

/** Somebody has said yes to its start. */
export const isApproved = ({ state }: RunView): boolean =>
  Object.entries(state.taps).some(([name, tap]) => name !== 'land' && tap?.status === 'approved');

/** Whether a flag says yes to it. `--land` says yes once: a landing that was refused is for a person to look at. */
export const isAnswered = (tap: TapName, { state }: RunView, flags: TapFlags): boolean =>
  tap === 'land' ? flags.land && state.landing.status !== 'refused' : flags.yes;
