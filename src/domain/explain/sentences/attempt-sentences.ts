import { agentKinds } from '../../../agents/agents.ts';
import { tellAgent } from '../../breaker/trip.ts';
import type { AttemptRules, DenialRules, HandoffMisfit, HandoffRules } from '../../findings/attempt-rules.ts';
import type { Breach } from '../../gates/evidence.ts';
import type { Sentences } from '../sentence.ts';

const dollars = (amount: number): string => `$${amount.toFixed(2)}`;
const minutesText = (minutes: number): string => `${minutes} minute${minutes === 1 ? '' : 's'}`;
const loginOf = (program: string) => Object.values(agentKinds).find((kind) => kind.program === program)?.login;
const installText = (program: string): string =>
  Object.values(agentKinds).find((kind) => kind.program === program)?.install ?? `install ${program}`;
const fixWithoutFile = (program: string): string => loginOf(program)?.fixWithoutFile ?? `tidegate auth ${program}`;

export const attemptSentences: Sentences<AttemptRules> = {
  'program-missing': ({ program }) => ({
    detail: `there is no program ${program} in the fence`,
    fix: `${installText(program)}, or correct \`command:\` in the plan and resume with --replan`,
  }),
  'program-not-found': ({ program }) => ({
    detail: `the program ${program} is not on the PATH`,
    fix: installText(program),
  }),
  'program-not-shown': ({ program }) =>
    `${program} cannot be shown to an agent: the directory of its program holds the checkout`,
  'no-bubblewrap': ({ restricted }) => noBubblewrap(restricted),
  'tools-missing': ({ tools }) => missingTools(tools),
  'no-namespaces': ({ closed, words }) => noNamespaces(words, closed),
  'unknown-machine': ({ machine }) => ({
    detail: `the fence does not know the system calls of ${machine}`,
    fix: 'run on x64 or arm64, or write `fence: none` to run without a fence',
  }),
  'fence-breached': ({ breaches }) => `the fence does not hold: ${describeBreaches(breaches)}`,
  'fence-ended': ({ code, signal, words }) => said(`the fence ended with ${code ?? signal}`, words),
  'fence-not-started': ({ words }) => words.filter((text) => text !== '').join(': '),
  'workspace-not-made': (finding, explain) =>
    said('the workspace could not be made', 'because' in finding ? explain(finding.because).detail : finding.words),
  'setup-not-copied': ({ path, code }) => `the product of setup could not be used: cp of ${path} ended with ${code}`,
  'not-logged-in': ({ program, file, variables }) => ({
    detail: `${program} is not logged in: there is no ${file ?? 'file'}, and ${variables.join(', ')} ${variables.length === 1 ? 'is' : 'are'} not set`,
    fix: loginOf(program)?.fix ?? `tidegate auth ${program} ${variables[0]}`,
  }),
  'login-file-closed': ({ program, file, uid }) => ({
    detail: `${file} is yours alone, and agents run as another user (uid ${uid})`,
    fix: fixWithoutFile(program),
  }),
  'login-needs-fence': ({ program }) => ({
    detail: 'without a fence its file cannot be mounted',
    fix: fixWithoutFile(program),
  }),
  'setup-failed': ({ command, code, signal, words }) => said(`setup (${command}) ended with ${code ?? signal}`, words),
  'setup-limit': ({ command, because, words }, explain) =>
    said(`setup (${command}) was ended: ${explain(because).detail}`, words),
  'time-limit': ({ minutes }) => `the time limit of ${minutesText(minutes)} was reached`,
  'silence-limit': ({ minutes }) => `no output for ${minutesText(minutes)}`,
  'turns-used': ({ turns }) => `it has taken all of its ${turns} turns`,
  'money-used': ({ used, limit }) => `it has used ${dollars(used)} and may use ${dollars(limit)}`,
  spiral: (trip) => `${trip.pattern}: ${tellAgent(trip)}`,
  'stop-requested': () => 'stopped on request',
  'no-coordinator': () => 'no coordinator was there',
  'not-begun': ({ because }, explain) => `${explain(because).detail} before it began`,
  'supervisor-died': ({ began }) =>
    began ? 'the supervisor died while the agent ran' : 'the supervisor died before the agent began',
  'supervisor-unable': ({ words }) => `no supervisor could do its work: ${words === '' ? 'it printed nothing' : words}`,
  'supervisor-unwatched': ({ words }) => said('the supervisor could not be followed', words),
  'generator-failed': ({ reason, code, signal, commands, minutes, because, words }, explain) => {
    const names = `\`${commands.join('`, `')}\``;
    const how = (): string => {
      switch (reason) {
        case 'exited':
          // the command that failed has said so in its last line of output
          return code === null ? `${names} ended by ${signal}` : '';
        case 'timed-out':
        case 'silent':
          return `${names} took longer than ${minutes} minutes`;
        default:
          return `${names} could not run (${[reason, ...(because === undefined ? [] : [explain(because).detail])].join(': ')})`;
      }
    };
    return [how(), ...words].filter(Boolean).join('; ');
  },
  'generator-not-snapshotted': () => 'what the commands left could not be snapshotted',
  'generated-not-plain': ({ where }) => `${where} is not a plain file`,
  'generated-replaces': ({ where, replaced }) => `${where} takes the place of ${replaced}, which is not generated`,
};

const said = (what: string, words: string): string => (words === '' ? what : `${what}: ${words}`);

const kinds = {
  irregular: 'is not a regular file',
  link: 'is a symbolic link',
  socket: 'is a socket',
  unreadable: 'cannot be read',
} as const;

function misfitText(misfit: HandoffMisfit): string {
  switch (misfit.fault) {
    case 'not-object':
      return 'not an object';
    case 'status':
      return 'status must be done, partial or failed';
    case 'summary':
      return 'summary must have 1 to 4000 characters';
    case 'nonce':
      return 'nonce must be the value of TIDEGATE_NONCE';
    case 'unknown-key':
      return `unknown key ${JSON.stringify(misfit.key)}`;
    case 'list':
      return `${misfit.key} must be a list of at most 200 texts of at most 1000 characters`;
  }
}

export const handoffSentences: Sentences<HandoffRules> = {
  'handoff-directory': ({ where = 'its place' }) => `${where} is not a directory`,
  'handoff-file': ({ where = 'the handoff', kind }) => `${where} ${kinds[kind]}`,
  'handoff-size': ({ where = 'handoff', bytes, limit }) => `${where} has ${bytes} bytes, at most ${limit} are allowed`,
  'handoff-encoding': () => 'handoff is not valid UTF-8',
  'handoff-json': () => 'handoff is not JSON',
  'handoff-schema': (finding) => `handoff does not fit its schema: ${misfitText(finding)}`,
  'handoff-stale': () => 'the nonce is not that of this attempt (stale or forged)',
};

const listed = ({ pattern }: { readonly pattern: string }): string => `\`${pattern}\` is not allowed in this run`;

/** Read by the model, and by people who follow it. */
export const denialSentences: Sentences<DenialRules> = {
  'outside-workspace': ({ where, place, workspace }) =>
    place === 'checkout'
      ? `\`${where}\` is not yours to write: you work on the copy in ${workspace}`
      : `\`${where}\` lies outside the workspace, and nothing that you write there counts`,
  'own-config': ({ where }) => `\`${where}\` steers agents: you may not change it`,
  'git-command': ({ command }) =>
    `\`git ${command}\` is not for agents: Tidegate takes your files as they are and integrates them itself`,
  'no-verify': () => 'the hooks of this repository must not be skipped',
  'removes-workspace': ({ target }) => `\`rm -r ${target}\` removes the whole workspace`,
  'blocked-command': listed,
  forbidden: listed,
  network: (finding) => {
    switch (finding.fault) {
      case 'not-host':
        return 'not a host name or address';
      case 'not-listed':
        return `${finding.target} is not in fence.network`;
      case 'not-proxy-request':
        return 'this is a proxy: ask it by CONNECT or with http://host/path';
      case 'not-public':
        return `${finding.target} leads to ${finding.addresses.join(', ')}, which is no public address; list the address itself if it is meant`;
    }
  },
  'agent-denied': ({ words }) => words,
};

const breaches: Readonly<Record<Breach['breach'], (at: string) => string>> = {
  'wrote-outside': (path) => `wrote ${path}`,
  'wrote-in': (directory) => `wrote in ${directory}`,
  'workspace-unwritable': () => 'the workspace is not writable',
  'workspace-unwritten': () => 'wrote nothing in the workspace',
  processes: () => 'sees processes of the host',
  'run-directory': () => 'sees the /run of the host',
  capabilities: () => 'holds capabilities',
  root: () => 'runs as root',
  privileges: () => 'may gain privileges',
  'system-calls': () => 'may make every system call',
  'core-pattern': () => 'wrote core_pattern',
  remount: (path) => `remounted ${path}`,
  'network-device': (device) => `sees the network device ${device}`,
  unknown: (report) => report,
};

export const describeBreaches = (found: readonly Breach[]): string =>
  found.map(({ breach, at = '' }) => breaches[breach](at)).join('; ');

/** Why nothing can be fenced here, and what to type, one command on a line. Without a fence that holds no agent is started. */
type NoFence = { readonly detail: string; readonly fix: string };

/** `restricted`: this Ubuntu would keep bubblewrap from making a fence once it is there. */
export const noBubblewrap = (restricted: boolean): NoFence => ({
  detail: 'bubblewrap (bwrap) is not installed',
  fix: ['sudo apt-get install bubblewrap', ...(restricted ? [appArmor] : [])].join('\n'),
});

export const missingTools = (names: readonly string[]): NoFence => ({
  detail: `missing from this system: ${names.join(', ')}`,
  fix: 'sudo apt-get install util-linux mount coreutils',
});

/** Unprivileged user namespaces are closed in one of three ways; each has its own switch. */
export type Closed = 'apparmor' | 'clone' | 'count' | 'unknown';

export const noNamespaces = (said: string, closed: Closed): NoFence => ({
  detail: `bubblewrap cannot make a fence: ${said}`,
  fix: {
    apparmor: appArmor,
    clone: 'sudo sysctl -w kernel.unprivileged_userns_clone=1',
    count: 'sudo sysctl -w user.max_user_namespaces=15000',
    unknown:
      'allow unprivileged user namespaces here (in a container: run it with --security-opt seccomp=unconfined), or write `fence: none` to run without a fence',
  }[closed],
});

/** Ubuntu 23.10 and later: a profile for bubblewrap alone, narrower than switching the restriction off. */
const appArmor = [
  "printf '%s\\n' 'abi <abi/4.0>,' 'include <tunables/global>' 'profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }' | sudo tee /etc/apparmor.d/bwrap",
  'sudo apparmor_parser -r /etc/apparmor.d/bwrap',
  '# or, for every program: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
].join('\n');
