import type { Stored } from '../../src/ports/ledger.ts';
import { lastRelaunch } from './check-relaunch.ts';
import type { Violation } from './checker.ts';
import { all } from './events-found.ts';
import { versionAt } from './plan-versions.ts';

/** The words on which a wave may close, written down a second time. */
const closing: Readonly<Record<string, readonly string[]>> = {
  eval: ['satisfied'],
  security: ['clear', 'concerns'],
  integration: ['ready'],
  docs: ['closed', 'no-change'],
  infra: ['conformant', 'action-complete'],
  deploy: ['healthy'],
  qa: ['pass'],
};

/** I3: the run branch moves only when every closure role of the wave has reported on exactly that tree, or a person resolved it. */
export function checkRoles(history: readonly Stored[]): readonly Violation[] {
  return all(history, 'merge-intended').flatMap(({ seq, event }) => {
    const { plan, since } = versionAt(history, seq);
    const roles = plan.waves[event.wave]?.closure ?? [];
    if (roles.length === 0) return [];
    const before = history.filter((one) => one.seq < seq);
    const isThis = (one: { readonly event: { readonly wave: number; readonly round: number } }): boolean =>
      one.event.wave === event.wave && one.event.round === event.round;
    const core =
      all(before, 'components-promoted').findLast(isThis)?.event.tree ??
      all(before, 'candidate-completed').findLast(isThis)?.event.tree ??
      all(before, 'candidate-built').findLast(isThis)?.event.steps.at(-1)?.tree;
    const whole = all(before, 'candidate-extended').findLast(isThis)?.event.tree ?? core;
    const open = roles.flatMap(({ id, closes = '' }) => {
      const tree = closes === 'qa' ? whole : core;
      const isDecided = isResolved(before, { role: id, tree, since });
      return isDecided ? [] : unreported(before, { role: id, closes, tree, since }).map((what) => `${id}: ${what}`);
    });
    return open.map((what) => ({ invariant: 'I3', seq, what }) as const);
  });
}

/** I2: a role whose report is recorded runs again for the same tree only when a person asks, or the plan has changed. */
export function checkRepeated(history: readonly Stored[]): readonly Violation[] {
  return all(history, 'role-opened').flatMap(({ seq, event }) => {
    const { since } = versionAt(history, seq);
    const last = all(history, 'role-opened').findLast((one) => one.seq < seq && one.event.task === event.task);
    if (last === undefined || last.seq < since || last.event.tree !== event.tree || event.by !== undefined) return [];
    if (
      lastRelaunch(
        history.filter((one) => one.seq < seq),
        event.task,
      ).starts > last.seq
    )
      return [];
    const hasReported = all(history, 'attempt-ended').some(
      ({ seq: at, event: { task, handoff } }) =>
        at > last.seq && at < seq && task === event.task && handoff.kind === 'given' && handoff.handoff.report,
    );
    return hasReported ? [{ invariant: 'I2', seq, what: `${event.task} runs again for the same tree` } as const] : [];
  });
}

/** I3: work that lands on a branch that others changed where it matters is judged there again. */
export function checkLandingRoles(history: readonly Stored[]): readonly Violation[] {
  return all(history, 'landing-intended').flatMap(({ seq, event }) => {
    const before = history.filter((one) => one.seq < seq);
    const rebuilt = all(before, 'landing-rebuilt').at(-1)?.event;
    if (rebuilt?.commit !== event.new || (rebuilt.unjudged ?? []).length === 0) return [];
    const { plan, since } = versionAt(history, seq);
    const closed = new Set(all(before, 'wave-closed').map((one) => one.event.wave));
    const ran = plan.waves.flatMap(({ closure = [] }, index) => (closed.has(index) ? closure : []));
    const judges = ['integration', 'qa'].flatMap((kind) => ran.findLast(({ closes }) => closes === kind) ?? []);
    const { tree } = rebuilt;
    return judges.flatMap(({ id, closes = '' }) =>
      isResolved(before, { role: id, tree, since })
        ? []
        : unreported(before, { role: id, closes, tree, since }).map(
            (what) => ({ invariant: 'I3', seq, what: `it lands, but ${id}: ${what}` }) as const,
          ),
    );
  });
}

type RoleAt = { readonly role: string; readonly tree: string | undefined; readonly since: number };

/** A person asked for it, by hand, for this tree. */
function isResolved(history: readonly Stored[], { role, tree, since }: RoleAt): boolean {
  return all(history, 'barrier-resolved').some(
    ({ seq, event }) =>
      seq > since &&
      event.barrier === role &&
      event.tree === tree &&
      all(history, 'requested-resolve').some(
        (asked) => asked.seq < seq && asked.event.barrier === role && asked.event.by.who === event.by.who,
      ),
  );
}

/** What its last attempt lacks. */
function unreported(
  history: readonly Stored[],
  { role, closes, tree, since }: RoleAt & { readonly closes: string },
): readonly string[] {
  const opened = all(history, 'role-opened').findLast(({ event }) => event.task === role);
  const attempt = all(history, 'attempt-intended').findLast(({ event }) => event.task === role);
  if (opened === undefined || attempt === undefined) return ['it never ran'];
  if (opened.seq < lastRelaunch(history, role).starts) return ['a person selected it to run again'];
  const ended = all(history, 'attempt-ended').findLast(({ event }) => event.attempt === attempt.event.attempt);
  if (ended === undefined || opened.seq > ended.seq) return ['it has not ended'];
  const wrong: string[] = [];
  if (opened.seq < since) wrong.push('it ran for another plan');
  if (opened.event.tree !== tree) wrong.push('it judged another tree');
  if (attempt.event.base !== opened.event.commit) wrong.push('it started on another commit');
  const { handoff, ending } = ended.event;
  if (ending.reason !== 'exited' || ending.code !== 0) wrong.push('its attempt did not end well');
  const report = handoff.kind === 'given' ? handoff.handoff.report : undefined;
  if (handoff.kind !== 'given' || handoff.handoff.nonce !== attempt.event.nonce) wrong.push('no handoff of its own');
  if (report === undefined) return [...wrong, 'no report'];
  if (!closing[closes]?.includes(report.word)) wrong.push(`it reported ${report.word}`);
  if (closes === 'security' && report.word === 'clear' && report.findings.length > 0) wrong.push('clear with findings');
  for (const [name, word] of Object.entries(report.dimensions ?? {}))
    if (word !== 'pass') wrong.push(`${name} ${word}`);
  return wrong;
}
