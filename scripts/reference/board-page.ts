import { actRules, recordActs } from '../../src/domain/board/acts.ts';
import { recordStatuses } from '../../src/domain/board/board.ts';
import {
  type Blocking,
  kindRules,
  type Poster,
  type RecordClock,
  recordClocks,
  recordKinds,
  severities,
} from '../../src/domain/board/kinds.ts';
import { runSettings } from '../../src/domain/settings/settings.ts';

/** The tables of kinds and acts, as they are used. */
export const boardLines = (): readonly string[] => [
  '',
  '## Kinds',
  '',
  '| kind | posted by | waits for somebody | keeps its wave open | clocks |',
  '|---|---|---|---|---|',
  ...recordKinds.map((kind) => {
    const { posts, waits, blocks, clocks } = kindRules[kind];
    return `| ${code(kind)} | ${posts.map((poster) => posters[poster]).join(', ')} | ${waits ? 'yes' : 'no'} | ${blockings[blocks]} | ${clocks.map(code).join(', ')} |`;
  }),
  '',
  'On input, `clarification-request` is a question, `human-feedback` a question to a person, and `handoff` a handoff note.',
  `Severities: ${severities.map(code).join(', ')}. \`low\` counts as advisory and \`high\` as normal. On input, \`hard\`, \`proof-critical\` and \`closure-critical\` are critical, \`soft\` is normal, \`stale\` is advisory.`,
  'An advisory record blocks nothing.',
  '',
  '## Clocks',
  '',
  'A record whose clock has run out is overdue. Nothing is answered by time. An advisory record, and one that a person set aside, has no clock.',
  '',
  '| clock | runs while | setting | default |',
  '|---|---|---|---|',
  ...recordClocks.map((clock) => {
    const { default: usual } = runSettings.board[clock];
    return `| ${code(clock)} | ${running[clock]} | ${code(`board.${clock}`)} | ${code(usual)} |`;
  }),
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

const running: Readonly<Record<RecordClock, string>> = {
  acknowledge:
    'it is for a task, nobody has acknowledged it, and an agent of the task is running; from the start of that agent, if that is later',
  stale: 'it is for a task and not settled',
  answer: 'it is for a person',
};

const agents = { addressee: 'of the task that it is for', author: 'of the task that posted it' } as const;
