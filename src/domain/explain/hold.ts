import type { TreeId } from '../base/ids.ts';
import type { Finding } from '../findings/finding.ts';
import type { CheckOutcome } from '../gates/evidence.ts';
import { findingsIn, type Verdict } from '../gates/verdict.ts';
import { type MonitorGate, monitorGates } from '../gates/work-gates.ts';
import type { DefinitionDispute } from '../landing/earlier-definitions.ts';
import { checkKey, type RunState } from '../run/run.ts';
import type { Hold } from '../run/task.ts';
import { checkLog, goOn, reworkInstead, withPaths } from './commands.ts';
import { describeVerdict, describeWithFix, explain } from './explain.ts';
import { type Advice, brief, failingLines, few } from './text.ts';

/** Why a task is held. `subject` is `run/task`. */
export function toldOfHold(state: Pick<RunState, 'run' | 'checks' | 'tasks'>, hold: Hold, subject: string): Advice {
  switch (hold.because) {
    case 'gate':
      return toldOfGates(hold.verdicts, subject);
    case 'conflict':
      return {
        message: `conflicts with other work in ${few(hold.files, 5)}`,
        safe: 'its work is kept',
        lines: [`to begin again on top of what is merged: tidegate retry ${subject}`],
        command: reworkInstead(subject, `it conflicts with merged work in ${few(hold.files, 5)}`),
      };
    case 'check':
      if (hold.defined !== undefined) return toldOfDefinition(state, hold, hold.defined, subject);
      return {
        message: `breaks the check ${hold.check}${setupFailure(state, hold)}`,
        lines: printed(state, hold.check, hold.tree),
        safe: kept,
        command: reworkInstead(subject, `the check ${hold.check} fails`),
      };
    case 'needs': {
      const progress = state.tasks[hold.task]?.progress;
      if (progress?.status === 'dropped')
        return {
          message: `stands on ${hold.task}, which was dropped`,
          safe: `its work is kept; tidegate retry ${state.run}/${hold.task} begins ${hold.task} again`,
          command: `tidegate drop ${subject}`,
        };
      return {
        message: `stands on ${hold.task}, which is held`,
        safe: `its work is kept, and goes on when ${hold.task} is settled`,
        command:
          progress?.status === 'held'
            ? toldOfHold(state, progress.hold, `${state.run}/${hold.task}`).command
            : reworkInstead(subject, `${hold.task} has changed`),
      };
    }
  }
}

/** Both outcomes: the check with the task's definition, and with the earlier one. */
function toldOfDefinition(
  state: Pick<RunState, 'run' | 'checks'>,
  { check, tree }: Hold & { readonly because: 'check' },
  { changes }: DefinitionDispute,
  subject: string,
): Advice {
  const paths = changes.map(({ path }) => path);
  const parts = changes.map(({ path, keys }) => (keys === undefined ? path : `${path} (${keys.join(', ')})`));
  return {
    message: `passes the check ${check} only by its own change of ${few(parts, 3)}; as it was defined before, it fails`,
    lines: [definitionLine(subject, paths), ...printed(state, check, tree)],
    safe: 'its work is kept; granted, the new definition counts',
    command: withPaths(`tidegate grant ${subject}`, paths),
  };
}

/** Why a task is held, for the agent that is to fix it: with more of what a check printed than people are shown. */
export function heldFindings({ checks }: Pick<RunState, 'checks'>, hold: Hold): readonly Finding[] {
  switch (hold.because) {
    case 'gate':
      return findingsIn(hold.verdicts);
    case 'conflict':
      return [{ rule: 'conflict', files: hold.files }];
    case 'check': {
      const output = outputOn(checks, hold.check, hold.tree);
      return [{ rule: 'check-fails', check: hold.check, words: failingLines(output, 40) }];
    }
    case 'needs':
      return [];
  }
}

const kept = 'its work is kept, and nothing of it was merged';

/** Of a check that was not started, because setup failed on the tree. */
function setupFailure(
  { checks }: Pick<RunState, 'checks'>,
  { check, tree }: Hold & { readonly because: 'check' },
): string {
  const because = tree === undefined ? undefined : checks[checkKey(tree, check)]?.because;
  return because === undefined ? '' : `: ${explain(because).detail}`;
}

function outputOn(checks: RunState['checks'], check: string, tree: TreeId | undefined): string {
  const outcome = tree === undefined ? undefined : checks[checkKey(tree, check)];
  return outcome === undefined ? '' : checkOutput(outcome);
}

/** What a check printed that matters, and where the rest is. */
export function printed(
  { run, checks }: Pick<RunState, 'run' | 'checks'>,
  check: string,
  tree?: TreeId,
): readonly string[] {
  return [...failingLines(outputOn(checks, check, tree)), `all of it: ${checkLog(run, check)}`];
}

/** The gate that matters most decides what to type; what the others say is told, too. */
function toldOfGates(verdicts: readonly Verdict[], subject: string): Advice {
  const failing = verdicts.filter(({ outcome }) => outcome !== 'pass');
  const message = few(
    failing.flatMap(describeVerdict).map((text) => brief(text)),
    3,
    '; ',
  );
  const gate = monitorGates.find((name) => failing.some((verdict) => verdict.gate === name));
  if (gate === undefined) return { message, safe: kept, command: reworkInstead(subject, goOn) };
  const findings = failing.flatMap((verdict) =>
    verdict.gate === gate && verdict.outcome !== 'pass' ? verdict.findings : [],
  );
  const { message: own = message, ...rest } = wayOut[gate](subject, findings);
  return { message: own, ...rest };
}

type WayOut = (
  subject: string,
  findings: readonly Finding[],
) => Omit<Advice, 'message'> & Partial<Pick<Advice, 'message'>>;

const reworked =
  (message: string, safe = kept): WayOut =>
  (subject) => ({ safe, command: reworkInstead(subject, message) });

/** Its agent did not end well, and left work: another one goes on with it, or a person who has read it takes it as it is. */
function unfinished(subject: string): Omit<Advice, 'message'> {
  return { safe: kept, lines: [diffLine(subject), acceptLine(subject)], command: reworkInstead(subject, goOn) };
}

export const diffLine = (subject: string): string => `what it did:   tidegate diff ${subject}`;
export const acceptLine = (subject: string): string => `take it as is: tidegate accept ${subject}`;

/** Just what changed there: the rest of its work is not in question. */
const definitionLine = (subject: string, paths: readonly string[]): string =>
  `what it changed there: ${withPaths(`tidegate diff ${subject}`, paths)}`;

const wayOut: Readonly<Record<MonitorGate, WayOut>> = {
  secrets: reworked(
    'take the secret out of what you wrote',
    'nothing of it was merged, and the value is shown nowhere',
  ),
  snapshot: (subject, findings) => {
    const paths = findings.flatMap(({ where }) => where ?? []);
    const mend = reworkInstead(subject, `take these away: ${few(paths, 3)}`);
    return paths.length === 0
      ? { safe: kept, command: reworkInstead(subject, goOn) }
      : {
          lines: [`have it mended: ${mend}`],
          safe: 'after a drop it is judged again without them; the files stay where they are',
          command: withPaths(`tidegate drop ${subject}`, paths),
        };
  },
  scope: (subject, findings) => {
    const { paths, grantable } = foreignPaths(findings);
    const verb = grantable ? 'grant' : 'drop';
    const defining = findings.flatMap(({ rule, where }) => (rule === 'check-definition' ? (where ?? []) : []));
    return {
      ...(defining.length === 0 ? {} : { lines: [definitionLine(subject, defining)] }),
      safe: grantable
        ? 'its work is kept; granted or dropped, it is judged again at no cost'
        : 'the rest of its work is kept, and is judged again at no cost',
      command: withPaths(`tidegate ${verb} ${subject}`, paths),
    };
  },
  files: reworked('change fewer files'),
  plan: reworked('mend what is wrong with the plan'),
  changes: (subject) => ({
    message: 'changed nothing, and was to change something',
    lines: [
      `if that is fine: \`allowEmpty: true\` in the plan, then tidegate resume ${subject.split('/')[0]} --replan`,
    ],
    ...reworked('nothing is changed yet; do what the task says', 'nothing is lost')(subject, []),
  }),
  deliverables: (subject, findings) => ({
    safe: kept,
    command: reworkInstead(
      subject,
      `make ${few(
        findings.flatMap((one) => (one.rule === 'deliverable-missing' ? [one.pattern] : [])),
        3,
      )}`,
    ),
  }),
  exit: unfinished,
  handoff: unfinished,
};

/** What a held task changed that is not its own. Not grantable: some of it is nobody's to change. */
export function foreignPathsOf(hold: Hold): { readonly paths: readonly string[]; readonly grantable: boolean } {
  const scope = hold.because === 'gate' ? hold.verdicts.find(({ gate }) => gate === 'scope') : undefined;
  return foreignPaths(scope?.outcome === 'fail' ? scope.findings : []);
}

const foreignPaths = (findings: readonly Finding[]) => ({
  paths: findings.flatMap(({ where }) => where ?? []),
  grantable: findings.every((finding) => 'grantable' in finding && finding.grantable),
});

/** Why a check could not run, if it could not, and the last that it printed. */
export const checkOutput = ({ because, tail }: CheckOutcome): string =>
  [because === undefined ? '' : describeWithFix(because), tail].filter(Boolean).join('\n');
