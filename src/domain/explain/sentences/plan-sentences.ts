import { addressFaults } from '../../base/web-address.ts';
import type { DirectiveFact, PlanRules, TaskSize } from '../../findings/plan-rules.ts';
import { subjectPlaceholders } from '../../plan/commit-subject.ts';
import type { PatternFault } from '../../scope/pattern.ts';
import { confirmCommand } from '../../settings/layers.ts';
import type { HostFault } from '../../settings/network-hosts.ts';
import type { Sentences } from '../sentence.ts';
import { few } from '../text.ts';

export const planSentences: Sentences<PlanRules> = {
  'no-base': () => ({
    detail: 'no branch is checked out, and the plan does not name one',
    fix: 'add `base: <branch>`, or check out a branch',
  }),
  'base-missing': ({ branch }) => ({
    detail: `the branch \`${branch}\` does not exist or has no commit yet`,
    fix: 'commit to it, or name another branch as `base`',
  }),
  'plan-secret': ({ shape }) => ({
    detail: `this looks like a credential (${shape})`,
    fix: 'remove it, and pass it to the agent as an environment variable: `fence: { env: [NAME] }`',
  }),
  'empty-wave': () => ({ detail: 'this wave has no task', fix: 'add a task or remove the wave' }),
  'duplicate-id': ({ task }) => ({ detail: `task id \`${task}\` is used twice`, fix: 'give each task its own id' }),
  'role-id': ({ task }) => ({
    detail: `\`${task}\` is the id of a closure role of this plan`,
    fix: 'give the task another id',
  }),
  'orchestrator-id': ({ task }) => ({
    detail: `\`${task}\` is the name of the orchestrator of this plan`,
    fix: 'give the task another id',
  }),
  'orchestrator-usd': ({ usd, run }) => ({
    detail: `the orchestrator may spend $${usd}, but the whole run only $${run}`,
    fix: 'lower orchestrator.limits.usd, or raise limits.run.usd',
  }),
  'orchestrator-program': ({ program }) => ({
    detail: `the orchestrator cannot run ${program}, because it sees no file of the repository`,
    fix: 'name a program on the PATH, or an absolute path that the fence shows',
  }),
  'unknown-need': ({ task, need, meant }) => ({
    detail: `\`${task}\` needs \`${need}\`, which does not exist`,
    fix: meant === null ? 'name a task of this plan' : `did you mean \`${meant}\`?`,
  }),
  'later-need': ({ task, wave, need, needWave }) => ({
    detail: `\`${task}\` in wave ${wave + 1} needs \`${need}\` in the later wave ${needWave + 1}`,
    fix: 'move one of them to another wave',
  }),
  cycle: ({ tasks }) =>
    tasks.length === 2 ? `\`${tasks[0]}\` needs itself` : `tasks need each other in a cycle: ${tasks.join(' -> ')}`,
  'owns-required': ({ task }) => ({
    detail: `\`${task}\` has no \`owns\`, which \`strict\` requires`,
    fix: 'add `owns: [...]`, or `owns: []` for a read-only task',
  }),
  'read-only-writes': ({ task }) => `\`${task}\` is read-only (\`owns: []\`) but shares or locks paths`,
  'unknown-skill': ({ task, skill, base, meant }) => ({
    detail: `\`${task}\` names the skill \`${skill}\`, which does not exist on ${base}`,
    fix: meant === null ? `commit .claude/skills/${skill}/SKILL.md on ${base}` : `did you mean \`${meant}\`?`,
  }),
  'eval-catalogue': ({ file, base, fault }) =>
    fault === 'missing'
      ? { detail: `the catalogue ${file} does not exist on ${base}`, fix: `commit ${file} on ${base}` }
      : {
          detail: `${file} on ${base} is not a catalogue of benchmarks`,
          fix: 'write it as JSON or YAML: families: { latency: { benchmarks: [cold-start] } }',
        },
  'eval-target-twice': ({ id }) => `there are two targets \`${id}\``,
  'eval-no-catalogue': ({ id, named }) => ({
    detail: `the target \`${id}\` names the family \`${named}\`, but the role has no catalogue`,
    fix: 'add `catalogue: <file>` to the role eval',
  }),
  'eval-unknown': ({ of, id, named, meant }) => ({
    detail: `the target \`${id}\` names the ${of} \`${named}\`, which is not in the catalogue`,
    ...(meant === null ? {} : { fix: `did you mean \`${meant}\`?` }),
  }),
  'unknown-agent': ({ task, agents, runnable, meant }) => ({
    detail: `\`${task}\` names the agent ${agents.join(', ')}; this version runs ${runnable.join(', ')}`,
    fix:
      meant === null
        ? 'name one of these; to run any other program: `agent: command` with `command: [program, argument]`'
        : `write \`agent: ${meant}\``,
  }),
  'check-unread': ({ check, commands }) => ({
    detail: `Tidegate cannot tell which files ${commands.map((one) => `\`${one}\``).join(', ')} ${commands.length === 1 ? 'reads' : 'read'} (check ${check})`,
    fix: 'list the files that decide its outcome: `defines: [path]` in that check; `defines: []` if there are none',
  }),
  'command-missing': ({ task, agent }) => ({
    detail: `\`${task}\` runs \`${agent}\` but has no command`,
    fix: 'add `command: [program, argument]`',
  }),
  'bad-command': ({ task }) => ({
    detail: `the command of \`${task}\` is not a list of a program and its arguments`,
    fix: 'write `command: [program, argument]`',
  }),
  'command-unused': ({ task, agents }) => ({
    detail: `\`${task}\` has a command, but its agent is ${agents.join(', ')}`,
    fix: 'write `agent: command`',
  }),
  'turns-uncounted': ({ tasks }) => ({
    detail: `\`limits.turns\` does not apply to ${tasks.join(', ')}: Tidegate cannot count the turns of \`agent: command\``,
    fix: 'use `limits.minutes`',
  }),
  'model-unlisted': ({ agent, host }) => ({
    detail: `${agent} cannot reach its model: ${host} is not in \`fence.network\``,
    fix: `add ${host} to the list`,
  }),
  'merge-gate': ({ task }) => `the directive of \`${task}\` lacks the merge gate`,
  'empty-directive': ({ task, file }) =>
    file === null
      ? { detail: `the brief of \`${task}\` is empty`, fix: 'say what to do' }
      : { detail: `${file} is empty`, fix: 'write the brief' },
  'directive-inline': (finding) => `${directive(finding)} is inline; \`strict\` needs a directive file`,
  'directive-section': ({ section, ...of }) => ({
    detail: `${directive(of)} has no ${capitalised(section)} section`,
    fix: `add a section \`## ${capitalised(section)}\``,
  }),
  'directive-front-matter': (finding) => `${directive(finding)} has no front matter`,
  'directive-vague': ({ words, ...of }) => ({
    detail: `${directive(of)} is vague: "${words}"`,
    fix: 'name the file, number or behaviour',
  }),
  'directive-long': ({ tokens, most, ...of }) => ({
    detail: `${directive(of)} has about ${tokens} tokens; a whole prompt should have at most ${most}`,
    fix: 'split the task, or move details into files of the repository',
  }),
  'task-large': ({ task, size }) => ({
    detail: `\`${task}\` is large for one agent: ${sizeText(size)}`,
    fix: 'split it into tasks of 5 to 15 minutes that each own their files',
  }),
  'wave-wide': ({ tasks, most }) => ({
    detail: `${tasks} tasks of this wave would write at the same time`,
    fix: `3 to ${most} work well: lower \`limits.parallel\`, or split the wave`,
  }),
  'minutes-long': ({ minutes }) => ({
    detail: `\`limits.minutes: ${minutes}\` is far more than a task should take`,
    fix: 'split the work into tasks of 5 to 15 minutes',
  }),
  'matrix-missing': ({ task }) => ({
    detail: `\`${task}\` promotes a component, but no matrix is named`,
    fix: 'add `matrix: <file>` to tidegate.yaml',
  }),
  'matrix-unread': ({ file, base, fault }) =>
    fault === 'missing'
      ? { detail: `the matrix ${file} does not exist on ${base}`, fix: `commit ${file} on ${base}` }
      : `${file} on ${base} is not a matrix of components`,
  'unknown-component': ({ component, file, meant }) => ({
    detail: `${file} has no component \`${component}\``,
    ...(meant === null ? {} : { fix: `did you mean \`${meant}\`?` }),
  }),
  'promotion-step': ({ component, level, current, expected }) => ({
    detail: `\`${component}\` cannot reach ${level}: it is at ${current}`,
    fix:
      expected === null ? `${level} is the lowest level` : `a wave advances a component from ${expected} to ${level}`,
  }),
  'promotion-levels': ({ component, levels }) => `one wave promotes \`${component}\` to ${levels.join(' and to ')}`,
  'promotion-owner': ({ task, component }) => `\`${task}\` changes no files, so it cannot own \`${component}\``,
  'promotion-qa': ({ component, level }) => ({
    detail: `\`${component}\` reaches ${level} only in a wave that QA judges`,
    fix: 'add `qa` to `closure`',
  }),
  'maturity-jump': ({ task, component, from, to, skipped }) => ({
    detail: `\`${task}\` takes \`${component}\` from ${from} to ${to} in one wave, which ${
      skipped.length === 0 ? 'is a step back' : `skips ${skipped.join(' and ')}`
    }`,
    fix: 'take one step per wave',
  }),
  'exit-unsupported': ({ task, part, level, missing }) => ({
    detail: `nothing could hold up \`exit.${part}: ${level}\` of \`${task}\`: ${unsupported[missing].lacks}`,
    fix: unsupported[missing].fix,
  }),
  'proof-pattern': ({ task, path }) => ({
    detail: `the proof \`${path}\` of \`${task}\` is not one file`,
    fix: 'write the path of each file, without wildcards',
  }),
  'deliverable-outside': ({ task, pattern }) => ({
    detail: `\`${task}\` must make \`${pattern}\`, but does not own it`,
    fix: 'add it to `owns`',
  }),
  'exit-promotes': ({ task, level, components }) => ({
    detail: `\`exit.completion: ${level}\` of \`${task}\` is a level of maturity and is read as \`promotes\``,
    fix: `write \`promotes: { ${components[0] ?? '<component>'}: ${level} }\` instead`,
  }),
  'command-file': ({ task, path, base, fault }) =>
    fault === 'missing'
      ? {
          detail: `\`${task}\` runs ${path}, which does not exist on ${base}`,
          fix: `commit ${path} on ${base}, unless an earlier task makes it`,
        }
      : {
          detail: `\`${task}\` runs ${path}, which is not executable on ${base}`,
          fix: `chmod +x ${path}, and commit it`,
        },
  'exit-misspelt': ({ task, part, words, meant }) => ({
    detail: `\`exit.${part}: ${words}\` of \`${task}\` is not a level`,
    fix: `did you mean \`${meant}\`?`,
  }),
  'exit-free-word': ({ task, part, words, levels }) => ({
    detail: `\`exit.${part}: ${words}\` of \`${task}\` has no effect`,
    fix: `use one of ${levels.join(', ')}`,
  }),
  'free-words': ({ task, key, words }) => ({
    detail: `\`${key}\` of \`${task}\` has no effect: ${few(words, 3)}`,
    fix: freeWordsFix[key],
  }),
  'draft-slow': ({ file, seconds }) => ({
    detail: `${file} could not be parsed within ${seconds} seconds`,
    fix: 'make it shorter, and do not use anchors',
  }),
  more: ({ count }) => `and ${count} more`,
  'leaves-repository': ({ path, fault }) =>
    fault === undefined ? `\`${path}\` is outside the repository` : `\`${path}\`: ${patternFault(fault)}`,
  'bad-pattern': ({ pattern, fault }) => {
    const detail = `\`${pattern}\`: ${patternFault(fault)}`;
    return fault.reason === 'several-drafts' ? { detail, fix: 'name the plan file itself' } : detail;
  },
  'reserved-pattern': ({ pattern, directory }) => `\`${pattern}\`: ${directory}/ is reserved`,
  'not-in-this-version': ({ key, value }) => ({
    detail: `this version does not support \`${key}: ${value}\``,
    fix: { dispatch: 'use `dispatch: isolated`', repair: 'use `repair: null`' }[key],
  }),
  'bad-branch': ({ branch }) => `\`${branch}\` is not a valid branch name`,
  'bad-commit-template': (fault) => ({
    detail: `the commit template ${fault.fault === 'unknown-placeholder' ? `has the unknown placeholder \`${fault.token}\`` : subjectFaults[fault.fault]}`,
    fix: `write one line such as \`{task}: {title}\`; placeholders are ${subjectPlaceholders.map((name) => `{${name}}`).join(', ')}`,
  }),
  'duplicate-check': ({ check }) => `two checks are named \`${check}\``,
  'bad-fence-path': ({ path }) => ({
    detail: `\`${path}\` is not an absolute path`,
    fix: 'start it with `/` or `~/`, and do not use `..`',
  }),
  'bad-host': ({ host, fault }) => ({
    detail: `\`${host}\`: ${hostFaults[fault]}`,
    fix: 'write `example.org`, `*.example.org` or `example.org:8443`, without scheme or path',
  }),
  'bad-address': ({ key, fault }) => ({
    detail: `\`${key}\`: ${fault === 'query' ? 'a query (`?…`) would be stored in the ledger' : addressFaults[fault]}`,
    fix: 'write `https://…`, or `http://127.0.0.1:…` on this machine, without user, password or query',
  }),
  'needs-confirmation': ({ key, words, file }) => ({
    detail: `the repository sets \`${key}: ${words}\`, which exceeds what you allow`,
    fix: `review it, then run \`${confirmCommand(file)}\`; or remove it`,
  }),
};

const directive = ({ task, file }: DirectiveFact): string => file ?? `the brief of \`${task}\``;

const capitalised = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

function sizeText(size: TaskSize): string {
  switch (size.of) {
    case 'patterns':
      return `it owns ${size.count} patterns`;
    case 'lines':
      return `its brief has ${size.count} lines`;
    case 'work':
      return `its brief says ${size.keyword}, and it owns no narrow path`;
  }
}

/** Says why a text is not a pattern, without the text itself. */
function patternFault(fault: PatternFault | { readonly reason: 'several-drafts' | 'several-generated' }): string {
  switch (fault.reason) {
    case 'empty':
      return 'a pattern must not be empty';
    case 'too-long':
      return `a pattern has at most ${fault.most} characters`;
    case 'absolute':
      return 'patterns are relative to the repository: remove the leading `/`';
    case 'backslash':
      return 'use `/` between segments; a backslash does not escape anything';
    case 'control-character':
      return 'control characters are not allowed';
    case 'unsupported':
      return `\`${fault.token}\` is not supported: use only \`*\`, \`**\` and \`?\` (any one character)`;
    case 'empty-segment':
      return 'two slashes in a row are not allowed';
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

const hostFaults: Readonly<Record<HostFault, string>> = {
  everything: 'to allow every host, write `network: on`',
  'inner-star': '`*` is allowed only before the first dot, as in `*.example.org`',
  'not-a-host': 'not a host name or address',
  'star-alone': '`*.` must be followed by a name with a dot',
  port: 'a port is a number from 1 to 65535',
};

const subjectFaults = {
  'several-lines': 'has more than one line',
  empty: 'is empty',
  unprintable: 'has an invisible or text-reordering character',
  'too-long': 'leaves no room for a title within 72 characters',
} as const;

const unsupported: Readonly<Record<PlanRules['exit-unsupported']['missing'], { lacks: string; fix: string }>> = {
  check: { lacks: 'the plan has no checks', fix: 'add `checks`' },
  proof: { lacks: 'the task declares no proof for it', fix: 'add a proof: `proofs: [{ path: <file> }]`' },
  docs: {
    lacks: 'the task declares no proof for it, and the wave has no docs role',
    fix: 'add a proof: `proofs: [{ path: <file>, for: owned }]`, or a docs role: `closure: { docs: … }`',
  },
  agent: { lacks: 'a scripted agent reaches no live system', fix: 'choose another agent, or lower the level' },
};

const freeWordsFix: Readonly<Record<PlanRules['free-words']['key'], string>> = {
  proofs: 'name a file: `proofs: [{ path: <file> }]`',
  components: 'name a level with `promotes`, or remove the key',
  capabilities: 'remove the key',
};
