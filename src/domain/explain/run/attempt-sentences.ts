import { agentKinds } from '../../agents/agents.ts';
import { tellAgent } from '../../breaker/trip.ts';
import type { AttemptRules } from '../../findings/run/attempt-rules.ts';
import { missingTools, noBubblewrap, noNamespaces } from '../../texts/no-fence.ts';
import { describeBreaches } from '../breaches.ts';
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
