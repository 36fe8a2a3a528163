import { actRules, recordActs } from '../../src/domain/board/acts.ts';
import { recordStatuses } from '../../src/domain/board/board.ts';
import { type Blocking, kindRules, type Poster, recordKinds, severities } from '../../src/domain/board/kinds.ts';

/** The tables of kinds and acts, as they are used. */
export const boardLines = (): readonly string[] => [
  '',
  '## Kinds',
  '',
  '| kind | posted by | waits for somebody | keeps its wave open |',
  '|---|---|---|---|',
  ...recordKinds.map((kind) => {
    const { posts, waits, blocks } = kindRules[kind];
    return `| ${code(kind)} | ${posts.map((poster) => posters[poster]).join(', ')} | ${waits ? 'yes' : 'no'} | ${blockings[blocks]} |`;
  }),
  '',
  'On input, `clarification-request` is a question, `human-feedback` a question to a person, and `handoff` a handoff note.',
  `Severities: ${severities.map(code).join(', ')}. \`low\` counts as advisory and \`high\` as normal. On input, \`hard\`, \`proof-critical\` and \`closure-critical\` are critical, \`soft\` is normal, \`stale\` is advisory.`,
  'An advisory record blocks nothing.',
  '',
  '## Acts',
  '',
  `Statuses: ${recordStatuses.map(code).join(', ')}. The first three wait for somebody; a record in any other status never changes again. People can do every act.`,
  '',
  '| act | agents | from | to | needs words |',
  '|---|---|---|---|---|',
  ...recordActs.map((act) => {
    const { agent, from, to, words } = actRules[act];
    return `| ${code(act)} | ${agent === null ? 'never' : agents[agent]} | ${from.map(code).join(', ')} | ${to === null ? 'unchanged' : code(to)} | ${words ? 'yes' : 'no'} |`;
  }),
];

const code = (text: string): string => `\`${text}\``;

const posters: Readonly<Record<Poster, string>> = {
  agent: 'agents',
  integration: 'the integration role',
  person: 'people',
  rule: 'Tidegate itself',
  orchestrator: 'a resident orchestrator',
};

const blockings: Readonly<Record<Blocking, string>> = {
  never: 'no',
  critical: 'if critical',
  targeted: 'if critical, or for a task or a capability',
  always: 'yes',
};

const agents = { addressee: 'of the task that it is for', author: 'of the task that posted it' } as const;
