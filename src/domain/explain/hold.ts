import type { TreeId } from '../base/ids.ts';
import type { Finding } from '../findings/finding.ts';
import type { CheckOutcome } from '../gates/evidence.ts';
import { findingsIn, type Verdict } from '../gates/verdict.ts';
import { type MonitorGate, monitorGates } from '../gates/work-gates.ts';
import type { DefinitionDispute } from '../landing/earlier-definitions.ts';
import { checkKey, type RunState } from '../run/run.ts';
import type { Hold } from '../run/task.ts';
import type { Advice } from './advice.ts';
import { worseText } from './check-text.ts';
import { checkLog, continueWork, reworkInstead, withPaths } from './commands.ts';
import { describeVerdict, describeWithFix, explain } from './explain.ts';
import { brief, failingLines, few } from './text.ts';

type Checked = Pick<RunState, 'run' | 'checks'>;
type CheckHold = Hold & { readonly because: 'check' };

/** Explains why a task is held. `subject` is `run/task`. */
export function holdAdvice(state: Checked & Pick<RunState, 'tasks'>, hold: Hold, subject: string): Advice {
  switch (hold.because) {
    case 'gate':
      return gateAdvice(hold.verdicts, subject);
    case 'conflict':
      return {
        message: `conflicts with other work in ${few(hold.files, 5)}`,
        safe: 'its work is kept',
        lines: [`to start again from the merged state: tidegate retry ${subject}`],
        command: reworkInstead(subject, `it conflicts with merged work in ${few(hold.files, 5)}`),
      };
    case 'check':
      if (hold.defined !== undefined) return definitionAdvice(state, hold, hold.defined, subject);
      return {
        message: `breaks the check ${hold.check}${setupFailure(state, hold) || worseText(hold.worse)}`,
        lines: checkLines(state, hold.check, hold.tree),
        safe: kept,
        command: reworkInstead(subject, `the check ${hold.check} fails`),
      };
    case 'needs': {
      const need = `${state.run}/${hold.task}`;
      const progress = state.tasks[hold.task]?.progress;
      if (progress?.status === 'dropped')
        return {
          message: `builds on ${hold.task}, which was dropped`,
          safe: `its work is kept; to start ${hold.task} again: tidegate retry ${need}`,
          command: `tidegate drop ${subject}`,
        };
      return {
        message: `builds on ${hold.task}, which is held`,
        safe: `its work is kept and continues when ${hold.task} is resolved`,
        command:
          progress?.status === 'held'
            ? holdAdvice(state, progress.hold, need).command
            : reworkInstead(subject, `${hold.task} has changed`),
      };
    }
  }
}

/** The check passes with the definition of the task and fails with the earlier one. */
function definitionAdvice(state: Checked, hold: CheckHold, { changes }: DefinitionDispute, subject: string): Advice {
  const paths = changes.map(({ path }) => path);
  const parts = changes.map(({ path, keys }) => (keys === undefined ? path : `${path} (${keys.join(', ')})`));
  return {
    message: `passes the check ${hold.check} only with its own change to ${few(parts, 3)}; with the earlier definition the check fails`,
    lines: [definitionLine(subject, paths), ...checkLines(state, hold.check, hold.tree)],
    safe: 'its work is kept; after a grant the new definition counts',
    command: withPaths(`tidegate grant ${subject}`, paths),
  };
}

/** The findings for the agent that must fix a held task, with more output of a check than people see. */
export function heldFindings({ checks }: Pick<RunState, 'checks'>, hold: Hold): readonly Finding[] {
  switch (hold.because) {
    case 'gate':
      return findingsIn(hold.verdicts);
    case 'conflict':
      return [{ rule: 'conflict', files: hold.files }];
    case 'check': {
      const output = outputOn(checks, hold.check, hold.tree);
      const tests = hold.worse !== undefined && 'tests' in hold.worse ? hold.worse.tests : [];
      return [{ rule: 'check-fails', check: hold.check, words: [...tests, ...failingLines(output, 40)] }];
    }
    case 'needs':
      return [];
  }
}

const kept = 'its work is kept, and nothing was merged';

/** The cause when a check did not start because setup failed on the tree. */
function setupFailure({ checks }: Checked, { check, tree }: CheckHold): string {
  const because = tree === undefined ? undefined : checks[checkKey(tree, check)]?.because;
  return because === undefined ? '' : `: ${explain(because).detail}`;
}

function outputOn(checks: RunState['checks'], check: string, tree: TreeId | undefined): string {
  const outcome = tree === undefined ? undefined : checks[checkKey(tree, check)];
  return outcome === undefined ? '' : checkOutput(outcome);
}

/** The cause, if the check could not run, and the end of its output. */
export const checkOutput = ({ because, tail }: CheckOutcome): string =>
  [because === undefined ? '' : describeWithFix(because), tail].filter(Boolean).join('\n');

/** The relevant lines of a check's output, and the command that prints all of it. */
export const checkLines = ({ run, checks }: Checked, check: string, tree?: TreeId): readonly string[] => [
  ...failingLines(outputOn(checks, check, tree)),
  `full output: ${checkLog(run, check)}`,
];

/** The most important failed gate chooses the command; the message covers all of them. */
function gateAdvice(verdicts: readonly Verdict[], subject: string): Advice {
  const failed = verdicts.filter((verdict) => verdict.outcome !== 'pass');
  const texts = failed.flatMap(describeVerdict).map((text) => brief(text));
  const message = few(texts, 3, '; ');
  const gate = monitorGates.find((name) => failed.some((verdict) => verdict.gate === name));
  if (gate === undefined) return { message, safe: kept, command: reworkInstead(subject, continueWork) };
  const findings = failed.flatMap((verdict) => (verdict.gate === gate ? verdict.findings : []));
  return { message, ...gateAdvices[gate](subject, findings) };
}

type GateAdvice = (
  subject: string,
  findings: readonly Finding[],
) => Omit<Advice, 'message'> & Partial<Pick<Advice, 'message'>>;

const reworkAdvice =
  (message: string, safe = kept): GateAdvice =>
  (subject) => ({ safe, command: reworkInstead(subject, message) });

/** The agent left work but did not end well: another attempt continues it, or a person reviews and accepts it. */
function unfinished(subject: string): Omit<Advice, 'message'> {
  return { safe: kept, lines: [diffLine(subject), acceptLine(subject)], command: reworkInstead(subject, continueWork) };
}

export const diffLine = (subject: string): string => `its changes:   tidegate diff ${subject}`;
/** Lets the task pass without what its exit contract requires. `subject` is `run/task`. */
const resolveLine = (subject: string): string =>
  `let it pass:   tidegate resolve ${subject.replace('/', '/contract-')} -m "your reason"`;

export const acceptLine = (subject: string): string => `accept as is:  tidegate accept ${subject}`;

/** Shows only the changes to the definition: the rest of the work is not in question. */
const definitionLine = (subject: string, paths: readonly string[]): string =>
  `its changes there: ${withPaths(`tidegate diff ${subject}`, paths)}`;

const gateAdvices: Readonly<Record<MonitorGate, GateAdvice>> = {
  secrets: reworkAdvice(
    'remove the secret from your changes',
    'nothing was merged, and the secret is not shown anywhere',
  ),
  snapshot: (subject, findings) => {
    const paths = findings.flatMap(({ where }) => where ?? []);
    return paths.length === 0
      ? { safe: kept, command: reworkInstead(subject, continueWork) }
      : {
          lines: [`or let an agent fix it: ${reworkInstead(subject, `remove these: ${few(paths, 3)}`)}`],
          safe: 'after the drop the task is judged without these files; they stay on disk',
          command: withPaths(`tidegate drop ${subject}`, paths),
        };
  },
  scope: (subject, findings) => {
    const { paths, grantable } = foreignPaths(findings);
    const defining = findings.flatMap(({ rule, where }) => (rule === 'check-definition' ? (where ?? []) : []));
    return {
      ...(defining.length === 0 ? {} : { lines: [definitionLine(subject, defining)] }),
      safe: grantable
        ? 'its work is kept; after a grant or drop it is judged again at no cost'
        : 'the rest of its work is kept and judged again at no cost',
      command: withPaths(`tidegate ${grantable ? 'grant' : 'drop'} ${subject}`, paths),
    };
  },
  sides: reworkAdvice('keep the changes of both sides, or name each one that you leave out with --dropped'),
  files: reworkAdvice('change fewer files'),
  plan: reworkAdvice('fix the errors in the plan'),
  changes: (subject) => ({
    message: 'made no changes, but the task owns files',
    lines: [
      `if that is correct: set \`allowEmpty: true\` in the plan, then run: tidegate resume ${subject.split('/')[0]} --replan`,
    ],
    safe: 'no work is lost',
    command: reworkInstead(subject, 'you made no changes yet; do what the task says'),
  }),
  deliverables: (subject, findings) => {
    const missing = findings.flatMap((one) => (one.rule === 'deliverable-missing' ? [one.pattern] : []));
    return { safe: kept, command: reworkInstead(subject, `create ${few(missing, 3)}`) };
  },
  'exit-contract': (subject, findings) => {
    const claims = findings.flatMap((one) => (one.rule === 'exit-claim' ? [`${one.part}=${one.level}`] : []));
    const message = claims.length === 0 ? 'close the gap that you reported' : `reach and claim ${claims.join(', ')}`;
    return { lines: [resolveLine(subject)], safe: kept, command: reworkInstead(subject, message) };
  },
  evidence: (subject, findings) => {
    const paths = findings.flatMap((one) => (one.rule === 'proof-missing' ? [one.path] : []));
    const message = paths.length === 0 ? 'make the checks pass' : `write the proof ${few(paths, 3)}`;
    return { lines: [resolveLine(subject)], safe: kept, command: reworkInstead(subject, message) };
  },
  exit: unfinished,
  handoff: unfinished,
  report: reworkAdvice('end with your report: tidegate verdict'),
};

/** The paths that a held task changed out of its scope. `grantable` is false if any of them can only be dropped. */
export function foreignPathsOf(hold: Hold): { readonly paths: readonly string[]; readonly grantable: boolean } {
  const scope = hold.because === 'gate' ? hold.verdicts.find(({ gate }) => gate === 'scope') : undefined;
  return foreignPaths(scope?.outcome === 'fail' ? scope.findings : []);
}

const foreignPaths = (findings: readonly Finding[]) => ({
  paths: findings.flatMap(({ where }) => where ?? []),
  grantable: findings.every((finding) => 'grantable' in finding && finding.grantable),
});
