import { agentKinds } from '../../../agents/agents.ts';
import { spiralWarning } from '../../breaker/spirals.ts';
import { exitLevels } from '../../closure/exit-contract.ts';
import { qaDimensions, roleWords } from '../../closure/roles.ts';
import type { AttemptRules, HandoffMisfit, NamespaceSetting } from '../../findings/attempt-rules.ts';
import type { FindingOf } from '../../findings/finding.ts';
import type { Breach } from '../../gates/evidence.ts';
import type { Explain, Sentences } from '../sentence.ts';
import { plural, withWords } from '../text.ts';

export const attemptSentences: Sentences<AttemptRules> = {
  'program-missing': ({ program }) => ({
    detail: `the program ${program} does not exist inside the fence`,
    fix: `${installText(program)}, or correct \`command:\` in the plan and resume with --replan`,
  }),
  'program-not-found': ({ program }) => ({
    detail: `the program ${program} is not on the PATH`,
    fix: installText(program),
  }),
  'program-not-shown': ({ program }) =>
    `agents cannot run ${program}: the directory of the program contains the checkout`,
  'no-bubblewrap': ({ restricted }) => ({
    detail: 'bubblewrap (bwrap) is not installed',
    fix: ['sudo apt-get install bubblewrap', ...(restricted ? [appArmor] : [])].join('\n'),
  }),
  'tools-missing': ({ tools }) => ({
    detail: `missing from this system: ${tools.join(', ')}`,
    fix: 'sudo apt-get install util-linux mount coreutils',
  }),
  'no-namespaces': ({ closed, words }) => ({
    detail: `bubblewrap cannot make a fence: ${words}`,
    fix: namespaceFixes[closed],
  }),
  'unknown-machine': ({ machine }) => ({
    detail: `the fence does not support the processor ${machine}`,
    fix: 'run on x64 or arm64, or write `fence: none` to run without a fence',
  }),
  'fence-breached': ({ breaches }) => `the fence does not hold: ${describeBreaches(breaches)}`,
  'fence-ended': ({ code, signal, words }) => withWords(`the fence ended with ${code ?? signal}`, words),
  'fence-not-started': ({ words }) => words.filter((text) => text !== '').join(': '),
  'workspace-not-made': (finding, explain) =>
    withWords(
      'the workspace could not be created',
      'because' in finding ? explain(finding.because).detail : finding.words,
    ),
  'setup-not-copied': ({ path, code }) => `the result of setup could not be copied: cp of ${path} ended with ${code}`,
  'not-logged-in': ({ program, file, variables }) => ({
    detail: `${program} is not logged in: there is no ${file ?? 'file'}, and ${variables.join(', ')} ${variables.length === 1 ? 'is' : 'are'} not set`,
    fix: loginOf(program)?.fix ?? `tidegate auth ${program} ${variables[0]}`,
  }),
  'login-file-closed': ({ program, file, uid }) => ({
    detail: `only you can read ${file}, but agents run as another user (uid ${uid})`,
    fix: fixWithoutFile(program),
  }),
  'login-needs-fence': ({ program }) => ({
    detail: `the login file of ${program} cannot be mounted without a fence`,
    fix: fixWithoutFile(program),
  }),
  'setup-failed': ({ command, code, signal, words }) =>
    withWords(`setup (${command}) ended with ${code ?? signal}`, words),
  'setup-limit': ({ command, because, words }, explain) =>
    withWords(`setup (${command}) was stopped: ${explain(because).detail}`, words),
  'time-limit': ({ minutes }) => `the time limit of ${plural(minutes, 'minute')} was reached`,
  'silence-limit': ({ minutes }) => `no output for ${plural(minutes, 'minute')}`,
  'turns-used': ({ turns }) => `the limit of ${plural(turns, 'turn')} was reached`,
  'money-used': ({ used, limit }) => `the budget is used up: $${used.toFixed(2)} of $${limit.toFixed(2)}`,
  spiral: (trip) => `${trip.pattern}: ${spiralWarning(trip)}`,
  'stop-requested': () => 'stopped on request',
  'no-coordinator': () => 'no coordinator was running',
  'not-begun': ({ because }, explain) => `${explain(because).detail} before it started`,
  'supervisor-died': ({ began }) =>
    began ? 'the supervisor died while the agent was running' : 'the supervisor died before the agent started',
  'supervisor-unable': ({ words }) => `the supervisor failed: ${words === '' ? 'it printed nothing' : words}`,
  'supervisor-unwatched': ({ words }) => withWords('lost track of the supervisor', words),
  'generator-failed': generatorFailure,
  'generator-not-snapshotted': () => 'the files that the commands wrote could not be snapshotted',
  'generated-not-plain': ({ where }) => `${where} is not a regular file`,
  'generated-replaces': ({ where, replaced }) => `${where} would replace ${replaced}, which is not generated`,
  'handoff-directory': ({ where = 'its place' }) => `${where} is not a directory`,
  'handoff-file': ({ where = 'the handoff', kind }) => `${where} ${fileKinds[kind]}`,
  'handoff-size': ({ where = 'the handoff', bytes, limit }) => `${where} has ${bytes} bytes; the limit is ${limit}`,
  'handoff-encoding': () => 'the handoff is not valid UTF-8',
  'handoff-json': () => 'the handoff is not JSON',
  'handoff-schema': (finding) => `the handoff does not match its schema: ${misfitText(finding)}`,
  'handoff-stale': () => 'the nonce of the handoff belongs to another attempt (stale or forged)',
  'report-unexpected': () => 'this task is not a closure role, so it gives no verdict; hand off with tidegate handoff',
  'report-absent': ({ role, choices }) =>
    `the closure role ${role} ends with a report: tidegate verdict ${choices.join('|')}`,
  'report-word': ({ role, word, choices }) => `${word} is not a word of ${role}; its words are ${choices.join(', ')}`,
  'report-milder': ({ word, first }) =>
    `you have reported ${first}; an attempt cannot replace it by a milder report (${word}). A person can start the role again`,
  'report-part': ({ role, key }) => `the report of ${role} has no ${key}`,
  'report-environments': ({ choices }) =>
    `the report names no word for ${choices.join(', ')}; add --environment ${choices[0]}=healthy and so on, or report another word`,
  'report-item': ({ words, choices }) =>
    `${words} is not an open item; ${choices.length === 0 ? 'there are none' : `open are ${choices.join(', ')}`}`,
  'command-status': ({ command, code }) =>
    code === 126
      ? {
          detail: `${command} is not executable, or a program that it runs is not`,
          fix: `chmod +x ${command}, and commit it`,
        }
      : { detail: `${command} was not found, or a program that it runs was not found` },
  // denials address the agent
  'outside-workspace': ({ where, place, workspace }) =>
    place === 'checkout'
      ? `do not write \`${where}\`: work on the copy in ${workspace}`
      : `\`${where}\` is outside the workspace, and files there are not part of your work`,
  'own-config': ({ where }) => `\`${where}\` configures agents: you may not change it`,
  'git-command': ({ command }) =>
    `agents may not run \`git ${command}\`: Tidegate takes a snapshot of your files and integrates it`,
  'no-verify': () => 'the hooks of this repository must not be skipped',
  'removes-workspace': ({ target }) => `\`rm -r ${target}\` would remove the whole workspace`,
  'blocked-command': blocked,
  forbidden: blocked,
  network: (finding) => {
    switch (finding.fault) {
      case 'not-host':
        return 'not a host name or address';
      case 'not-listed':
        return `${finding.target} is not in fence.network`;
      case 'not-proxy-request':
        return 'this is a proxy: use CONNECT or http://host/path';
      case 'not-public':
        return `${finding.target} resolves to ${finding.addresses.join(', ')}, which is not a public address; to allow it, list the address itself`;
    }
  },
  'agent-denied': ({ words }) => words,
};

const agentKind = (program: string) => Object.values(agentKinds).find((kind) => kind.program === program);
const loginOf = (program: string) => agentKind(program)?.login;
const installText = (program: string): string => agentKind(program)?.install ?? `install ${program}`;
const fixWithoutFile = (program: string): string => loginOf(program)?.fixWithoutFile ?? `tidegate auth ${program}`;

function blocked({ pattern }: { readonly pattern: string }): string {
  return `\`${pattern}\` is not allowed in this run`;
}

function generatorFailure(finding: FindingOf<'generator-failed'>, explain: Explain): string {
  const { reason, code, signal, commands, minutes, because, words } = finding;
  const names = `\`${commands.join('`, `')}\``;
  const ending = (): string => {
    switch (reason) {
      case 'exited':
        // the last line of output names the command that failed
        return code === null ? `${names} was killed by ${signal}` : '';
      case 'timed-out':
      case 'silent':
        return `${names} took longer than ${minutes} minutes`;
      default:
        return `${names} could not run (${[reason, ...(because === undefined ? [] : [explain(because).detail])].join(': ')})`;
    }
  };
  return [ending(), ...words].filter(Boolean).join('; ');
}

const fileKinds = {
  irregular: 'is not a regular file',
  link: 'is a symbolic link',
  socket: 'is a socket',
  unreadable: 'cannot be read',
} as const;

const oneOf = (words: readonly string[]): string => `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

function misfitText(misfit: HandoffMisfit): string {
  switch (misfit.fault) {
    case 'not-object':
      return 'it is not an object';
    case 'status':
      return 'status must be done, partial or failed';
    case 'summary':
      return 'summary must have 1 to 4000 characters';
    case 'nonce':
      return 'nonce must be the value of TIDEGATE_NONCE';
    case 'claims':
      return `claims must name levels: ${claimLevels}`;
    case 'unknown-key':
      return `unknown key ${JSON.stringify(misfit.key)}`;
    case 'list':
      return `${misfit.key} must be a list of at most 200 texts of at most 1000 characters`;
    case 'report-object':
      return 'report must be an object';
    case 'report-word':
      return 'report.word must be a word of a closure role';
    case 'report-regressions':
      return 'report.regressions must be a whole number from 0 to 1000000';
    case 'report-key':
      return `unknown key ${JSON.stringify(misfit.key)} in report`;
    case 'report-list':
      return `report.${misfit.key} must be a list of at most 200 texts of at most 1000 characters`;
    case 'report-dimension':
      if (qaDimensions.some((name) => name === misfit.key))
        return `report.dimensions: ${misfit.key} must be ${oneOf(roleWords.qa.words)}`;
      return `report.dimensions: ${JSON.stringify(misfit.key)} must be one of ${qaDimensions.join(', ')}, with ${roleWords.qa.words.join(', ')}`;
    case 'report-environment':
      return `report.environments: ${JSON.stringify(misfit.key)} must be a name of at most 64 letters, digits, "." "_" ":" "-", with ${roleWords.deploy.words.join(', ')}`;
  }
}

export const describeBreaches = (found: readonly Breach[]): string =>
  found.map(({ breach, at = '' }) => breaches[breach](at)).join('; ');

const breaches: Readonly<Record<Breach['breach'], (at: string) => string>> = {
  'wrote-outside': (path) => `wrote ${path}`,
  'wrote-in': (directory) => `wrote in ${directory}`,
  'workspace-unwritable': () => 'the workspace is not writable',
  'workspace-unwritten': () => 'wrote nothing in the workspace',
  processes: () => 'sees processes of the host',
  'run-directory': () => 'sees /run of the host',
  capabilities: () => 'holds capabilities',
  root: () => 'runs as root',
  privileges: () => 'can gain privileges',
  'system-calls': () => 'can make every system call',
  'core-pattern': () => 'wrote core_pattern',
  remount: (path) => `remounted ${path}`,
  'network-device': (device) => `sees the network device ${device}`,
  unknown: (report) => report,
};

/** For Ubuntu 23.10 and later: a profile for bubblewrap alone, which is narrower than removing the restriction. */
const appArmor = [
  "printf '%s\\n' 'abi <abi/4.0>,' 'include <tunables/global>' 'profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }' | sudo tee /etc/apparmor.d/bwrap",
  'sudo apparmor_parser -r /etc/apparmor.d/bwrap',
  '# or, for every program: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
].join('\n');

const namespaceFixes: Readonly<Record<NamespaceSetting, string>> = {
  apparmor: appArmor,
  clone: 'sudo sysctl -w kernel.unprivileged_userns_clone=1',
  count: 'sudo sysctl -w user.max_user_namespaces=15000',
  unknown:
    'allow unprivileged user namespaces (in a container: run it with --security-opt seccomp=unconfined), or write `fence: none` to run without a fence',
};

const claimLevels = Object.entries(exitLevels)
  .map(([part, levels]) => `${part} is ${levels.join(', ')}`)
  .join('; ');
