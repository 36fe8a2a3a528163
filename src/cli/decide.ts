import { firstTap, undecidedTap } from '../domain/answer-in-line.ts';
import type { RequestEvent, TapName } from '../domain/events.ts';
import type { RunState } from '../domain/run.ts';
import { inLineBehind } from '../engine/ask.ts';
import type { Desk } from '../ports/desk.ts';
import { fenceText } from '../view/run-view.ts';
import { askOnce } from './ask-coordinator.ts';
import type { Outcome, Register } from './command.ts';
import { misused } from './command.ts';
import { atDesk, failed, type OpenDesk } from './desk.ts';
import { peopleOnly } from './people-only.ts';
import { wholeRunNamed } from './subject.ts';

type Decision = 'approve' | 'reject' | 'hold';

/** `tidegate approve | reject | hold [run]`: a person's decision at the open tap, bound to the plan hash. */
const decision =
  (name: Decision) =>
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .argument('[run]', 'a run or the beginning of its name; without it the live one')
      .option('--plan <hash>', 'decide only if this is the plan that is asked about')
      .action(
        does((given: string | undefined, options: { plan?: string }) =>
          atDesk(open, context, 'ask', (desk) => decide(desk, name, given, options.plan)),
        ),
      );
  };
export const approve = decision('approve');
export const reject = decision('reject');
export const hold = decision('hold');

/** Also for the screen, whose keys ask for the same. */
export async function decide(desk: Desk, name: Decision, given: string | undefined, hash?: string): Promise<Outcome> {
  const found = await wholeRunNamed(desk, name, given);
  if (!found.ok) return found.error;
  const { run, state } = found.value;
  const refused = peopleOnly(desk, `tidegate ${name} ${run}`);
  if (refused !== null) return refused;
  if (hash !== undefined && (hash.length < 8 || !state.hash.startsWith(hash)))
    return misused('other-plan', `${name}: ${run} asks about plan ${state.hash.slice(0, 12)}, not ${hash}`);
  const behind = await inLineBehind(desk, run);
  const tap = undecidedTap(state) ?? (behind === null ? null : firstTap(state));
  if (tap === null) return failed('nothing-to-decide', `${name}: ${run} waits for no decision${lastDecision(state)}`);
  const request: RequestEvent = { type: `requested-${name}`, tap, hash: state.hash, by: desk.caller.by };
  const line = behind === null || name === 'reject' ? '' : ` It waits in line behind ${behind}.`;
  return await askOnce(desk, found.value, request, `${said(name, state, tap)}${line}`);
}

function lastDecision(state: RunState): string {
  const last = Object.values(state.taps).at(-1);
  return last !== undefined && 'by' in last ? `; the last was ${last.status} by ${last.by.who}` : '';
}

function said(name: Decision, state: RunState, tap: TapName): string {
  const what = tap === 'land' ? `the landing of ${state.run} on ${state.target.branch}` : state.run;
  const plan = `plan ${state.hash.slice(0, 12)}, ${fenceText(state)}`;
  if (name === 'approve') return `Approved ${what} (${plan}). Follow it: tidegate watch ${state.run}`;
  return name === 'reject' ? `Rejected ${what}.` : `On hold: ${what}. Later: tidegate approve ${state.run}`;
}
