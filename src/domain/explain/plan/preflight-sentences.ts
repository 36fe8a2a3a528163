import type { PreflightRules } from '../../findings/plan/preflight-rules.ts';
import { few } from '../../texts/told.ts';
import type { Sentences } from '../sentence.ts';

const named = (files: readonly string[], count: number): string =>
  `${files.join(', ')}${count > files.length ? ` and ${count - files.length} more` : ''}`;
const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

export const preflightSentences: Sentences<PreflightRules> = {
  'checkout-changed': ({ base, files, count }) => ({
    detail: `your checkout has ${counted(count, 'uncommitted change')}: ${named(files, count)}. Agents start from the last commit of ${base} and do not see ${count === 1 ? 'it' : 'them'}`,
    fix: 'commit first, or add --with-uncommitted',
  }),
  'uncommitted-seen': ({ base, files, count }) =>
    `agents start from your checkout with ${counted(count, 'uncommitted change')}: ${named(files, count)}. Only what they add lands on ${base}; your changes stay uncommitted`,
  'uncommitted-secret': ({ shape }) => ({
    detail: `a secret in an uncommitted change (${shape}), which agents would see`,
    fix: 'move it out of the checkout, or ignore the file',
  }),
  'uncommitted-refused': ({ findings }, explain) => ({
    detail: `your uncommitted changes cannot be shown to agents: ${few(
      findings.map((finding) => `${finding.where ?? ''}: ${explain(finding).detail}`),
      3,
      '; ',
    )}`,
    fix: 'move these files out of the checkout, or ignore them',
  }),
  'uncommitted-unfit': (finding) =>
    finding.fault === 'other-branch'
      ? {
          detail: `--with-uncommitted takes changes to ${finding.base}, and your checkout is on ${finding.branch ?? 'no branch'}`,
          fix: `git switch ${finding.base}`,
        }
      : {
          detail: `--with-uncommitted does not go with \`land: ${finding.land}\`: your uncommitted changes would be on the branch of the run`,
          fix: 'commit first, or use another `land:`',
        },
  'untracked-in-the-way': ({ files, count, tasks }) => ({
    detail: `${counted(count, 'untracked file')} where ${few(tasks)} may write: ${named(files, count)}. Landing never overwrites untracked files`,
    fix: 'commit, move or remove them before the run lands',
  }),
  'wave-continues': ({ run, branch }) => `goes on from ${branch}, where ${run} left the waves before`,
  'signing-fails': ({ words }) => ({
    detail: `your git signs commits (commit.gpgsign), and signing fails${words === '' ? '' : `: ${words}`}`,
    fix: 'git commit --allow-empty -S -m try   # shows why; or: git config commit.gpgsign false',
  }),
  'agent-unready': ({ agent, tasks, because }, explain) => {
    const { detail, fix } = explain(because);
    return {
      detail: `${few(tasks)} would do without ${agent}: ${detail}`,
      ...(fix === undefined ? {} : { fix }),
    };
  },
  'no-agent-ready': ({ tasks, findings }, explain) => {
    const [first, ...more] = findings.map(explain);
    const fixes = [first, ...more].flatMap((one) => one?.fix ?? []);
    return {
      detail: `no agent can be started for ${few(tasks)}: ${[first, ...more].map((one) => one?.detail).join('; ')}`,
      ...(fixes.length === 0 ? {} : { fix: fixes.join('\nor: ') }),
    };
  },
};
