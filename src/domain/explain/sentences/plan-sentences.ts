import { addressFaults } from '../../base/web-address.ts';
import type { DirectiveFact, PlanRules, SettingsRules, TaskSize } from '../../findings/plan-rules.ts';
import { subjectPlaceholders } from '../../plan/commit-subject.ts';
import type { PatternFault } from '../../scope/pattern.ts';
import { confirmCommand } from '../../settings/layers.ts';
import type { HostFault } from '../../settings/network-hosts.ts';
import type { Sentences } from '../sentence.ts';

const directive = ({ task, file }: DirectiveFact): string => file ?? `the brief of \`${task}\``;

function sizeText(size: TaskSize): string {
  switch (size.of) {
    case 'patterns':
      return `it owns ${size.count} patterns`;
    case 'lines':
      return `its brief has ${size.count} lines`;
    case 'work':
      return `it says ${size.keyword}, and nothing narrow is owned`;
  }
}

const capitalised = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

export const planSentences: Sentences<PlanRules> = {
  'no-base': () => ({
    detail: 'no branch is checked out, and the plan names none',
    fix: 'add `base: <branch>`, or check out a branch',
  }),
  'base-missing': ({ branch }) => ({
    detail: `the branch \`${branch}\` does not exist or has no commit yet`,
    fix: 'create it with a commit, or name another branch as `base`',
  }),
  'plan-secret': ({ shape }) => ({
    detail: `this holds what looks like a credential (${shape})`,
    fix: 'take it out, and pass it to the agent by the name of a variable: `fence: { env: [NAME] }`',
  }),
  'empty-wave': () => ({ detail: 'this wave has no task', fix: 'add a task or remove the wave' }),
  'duplicate-id': ({ task }) => ({ detail: `task id \`${task}\` is used twice`, fix: 'ids are unique in a plan' }),
  'unknown-need': ({ task, need, meant }) => ({
    detail: `\`${task}\` needs \`${need}\`, which does not exist`,
    fix: meant === null ? 'needs names tasks of this plan' : `did you mean \`${meant}\`?`,
  }),
  'later-need': ({ task, wave, need, needWave }) => ({
    detail: `\`${task}\` of wave ${wave} needs \`${need}\` of the later wave ${needWave}`,
    fix: 'move one of them to another wave',
  }),
  cycle: ({ tasks }) =>
    tasks.length === 2 ? `\`${tasks[0]}\` needs itself` : `needs go in a circle: ${tasks.join(' -> ')}`,
  'owns-required': ({ task }) => ({
    detail: `\`${task}\` has no \`owns\`, which \`strict\` requires`,
    fix: 'add `owns: [...]`, or `owns: []` for a read-only task',
  }),
  'read-only-writes': ({ task }) => `\`${task}\` is read-only (\`owns: []\`) but shares or locks paths`,
  'unknown-skill': ({ task, skill, base, meant }) => ({
    detail: `\`${task}\` names the skill \`${skill}\`, which ${base} does not have`,
    fix: meant === null ? `commit .claude/skills/${skill}/SKILL.md on ${base}` : `did you mean \`${meant}\`?`,
  }),
  'unknown-agent': ({ task, agents, runnable, meant }) => ({
    detail: `\`${task}\` would run ${agents.join(', ')}; this version runs ${runnable.join(', ')}`,
    fix:
      meant === null
        ? 'name one of these; in a plan any program is `agent: command` with `command: [program, argument]`'
        : `write \`agent: ${meant}\``,
  }),
  'check-unread': ({ check, commands }) => ({
    detail: `Tidegate does not know which files ${commands.map((one) => `\`${one}\``).join(', ')} ${commands.length === 1 ? 'reads' : 'read'} (check ${check})`,
    fix: 'list those that decide its outcome: `defines: [path]` in that check; `defines: []` if there are none',
  }),
  'command-missing': ({ task, agent }) => ({
    detail: `\`${task}\` runs \`${agent}\` but says no argv`,
    fix: 'add `command: [program, argument]`',
  }),
  'bad-command': ({ task }) => `the command of \`${task}\` is not an argv`,
  'command-unused': ({ task, agents }) => ({
    detail: `\`${task}\` gives a command, but its agent is ${agents.join(', ')}`,
    fix: 'write `agent: command`',
  }),
  'turns-uncounted': ({ tasks }) => ({
    detail: `\`limits.turns\` does not stop ${tasks.join(', ')}: the turns of \`agent: command\` cannot be counted`,
    fix: 'limit it by `limits.minutes`',
  }),
  'model-unlisted': ({ agent, host }) => ({
    detail: `${agent} cannot reach its models: ${host} is not in \`fence.network\``,
    fix: `add ${host} to the list`,
  }),
  'merge-gate': ({ task }) => `the directive of \`${task}\` lacks the merge gate`,
  'empty-directive': ({ task, file }) =>
    file === null
      ? { detail: `the brief of \`${task}\` is empty`, fix: 'say what to do' }
      : { detail: `${file} has no text`, fix: 'write the brief' },
  'directive-inline': (finding) => `${directive(finding)} is inline; \`strict\` wants a directive file`,
  'directive-section': ({ section, ...of }) => ({
    detail: `${directive(of)} has no ${capitalised(section)} section`,
    fix: `add a section \`## ${capitalised(section)}\``,
  }),
  'directive-front-matter': (finding) => `${directive(finding)} has no front matter`,
  'directive-vague': ({ words, ...of }) => ({
    detail: `${directive(of)} is vague: "${words}"`,
    fix: 'say which file, number or behaviour',
  }),
  'directive-long': ({ tokens, most, ...of }) => ({
    detail: `${directive(of)} has about ${tokens} tokens, more than a whole prompt should have (${most})`,
    fix: 'split the task, or move details into files of the repository',
  }),
  'task-large': ({ task, size }) => ({
    detail: `\`${task}\` is much for one agent: ${sizeText(size)}`,
    fix: 'split it: 5 to 15 minutes of work for each task, with what it owns',
  }),
  'wave-wide': ({ tasks, most }) => ({
    detail: `${tasks} tasks of this wave would write at the same time`,
    fix: `3 to ${most} work well; lower \`limits.parallel\`, or divide the wave`,
  }),
  'minutes-long': ({ minutes }) => ({
    detail: `\`limits.minutes: ${minutes}\` is far beyond what a task should take`,
    fix: 'split what takes so long: 5 to 15 minutes for each task',
  }),
  'maturity-jump': ({ task, component, from, to, skipped }) => ({
    detail: `\`${task}\` brings \`${component}\` from ${from} to ${to} in one wave: ${
      skipped.length === 0 ? `${to} is behind ${from}` : `${skipped.join(' and ')} would be skipped`
    }`,
    fix: 'go one step in each wave',
  }),
  'draft-slow': ({ file, seconds }) => ({
    detail: `${file} could not be read within ${seconds} seconds`,
    fix: 'write it as a plain document: less of it, without anchors',
  }),
  more: ({ count }) => `and ${count} more`,
};

const versionFixes = {
  dispatch: 'use `dispatch: isolated`',
  repair: 'use `repair: null`',
} as const;

const subjectFaults = {
  'several-lines': 'has more than one line',
  empty: 'is empty',
  unprintable: 'has a character that cannot be seen, or that reorders text',
  'too-long': 'leaves no room for a title in 72 characters',
} as const;

export const settingsSentences: Sentences<SettingsRules> = {
  'leaves-repository': ({ path, fault }) =>
    fault === undefined ? `\`${path}\` leaves the repository` : `\`${path}\`: ${patternFaultText(fault)}`,
  'bad-pattern': ({ pattern, fault }) => {
    const detail = `\`${pattern}\`: ${patternFaultText(fault)}`;
    return fault.reason === 'several-drafts' ? { detail, fix: 'name the plan itself' } : detail;
  },
  'reserved-pattern': ({ pattern, directory }) => `\`${pattern}\`: ${directory}/ is reserved`,
  'not-in-this-version': ({ key, value }) => ({
    detail: `\`${key}: ${value}\` is not in this version`,
    fix: versionFixes[key],
  }),
  'bad-branch': ({ branch }) => `\`${branch}\` is not a branch name`,
  'bad-commit-template': (fault) => ({
    detail: `the commit template ${fault.fault === 'unknown-placeholder' ? `has \`${fault.token}\`` : subjectFaults[fault.fault]}`,
    fix: `write one line, such as \`{task}: {title}\`, with ${subjectPlaceholders.map((name) => `{${name}}`).join(', ')}`,
  }),
  'duplicate-check': ({ check }) => `two checks are named \`${check}\``,
  'bad-fence-path': ({ path }) => ({
    detail: `\`${path}\` is not an absolute path`,
    fix: 'begin it with `/` or `~/`, without `..`',
  }),
  'bad-host': ({ host, fault }) => ({
    detail: `\`${host}\`: ${hostFaultTexts[fault]}`,
    fix: 'write `example.org`, `*.example.org` or `example.org:8443`, without scheme and path',
  }),
  'bad-address': ({ key, fault }) => ({
    detail: `\`${key}\`: ${fault === 'query' ? 'what follows `?` would be kept in the ledger' : addressFaults[fault]}`,
    fix: 'write `https://…`, or `http://127.0.0.1:…` on this machine, without user, password and query',
  }),
  'needs-confirmation': ({ key, words, file }) => ({
    detail: `the repository asks for \`${key}: ${words}\`, which is more than you allow`,
    fix: `look at it, then \`${confirmCommand(file)}\`; or remove it`,
  }),
};

/** Why a text is not a pattern, without the text. */
export function patternFaultText(fault: PatternFault | SettingsRules['bad-pattern']['fault']): string {
  switch (fault.reason) {
    case 'empty':
      return 'a pattern must not be empty';
    case 'too-long':
      return `a pattern has at most ${fault.most} characters`;
    case 'absolute':
      return 'patterns are relative to the repository: no leading `/`';
    case 'backslash':
      return 'use `/` between segments; a backslash escapes nothing';
    case 'control-character':
      return 'control characters are not allowed';
    case 'unsupported':
      return `\`${fault.token}\` is not supported: only \`*\`, \`?\` and \`**\` are; \`?\` stands for any character`;
    case 'empty-segment':
      return 'two slashes in a row';
    case 'parent':
      return '`.` and `..` are not allowed';
    case 'partial-globstar':
      return '`**` must be a whole segment';
    case 'several-drafts':
      return 'a draft is one file';
    case 'several-generated':
      return 'a generated file is one path';
  }
}

export const hostFaultTexts: Readonly<Record<HostFault, string>> = {
  everything: 'every host is `network: on`',
  'inner-star': '`*` stands only before the first dot, as in `*.example.org`',
  'not-a-host': 'not a host name or address',
  'star-alone': '`*.` needs a name with a dot behind it',
  port: 'a port is 1 to 65535',
};
