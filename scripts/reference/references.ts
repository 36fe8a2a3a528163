import { readFileSync } from 'node:fs';
import { commandList } from '../../src/cli/commands/list.ts';
import { exitCodes, exitMeanings, groups, startCodes } from '../../src/cli/frame/command.ts';
import { overview } from '../../src/cli/frame/help.ts';
import { allCommands } from '../../src/cli/frame/program.ts';
import { routes } from '../../src/contract/routes.ts';
import { factsOfOthers, wordsOfOthers } from '../../src/domain/ledger/words-of-others.ts';
import { webhookJsonSchema } from '../../src/protocol/webhook.ts';
import { boardLines } from './board-page.ts';
import { jsonSchemas } from './json-schemas.ts';
import { printed } from './printed.ts';
import { routeLines } from './routes-page.ts';
import { ruleLines } from './rules-page.ts';
import { type Schema, schemaRows } from './schema-rows.ts';
import { toolchainLines } from './toolchains-page.ts';
import { unionMembers } from './union-members.ts';

/** Every page of docs/reference by its name. */
export async function references(): Promise<Readonly<Record<string, string>>> {
  return {
    'board.md': boardPage(),
    'commands.md': await commandsPage(),
    'exit-codes.md': exitCodesPage(),
    'events.md': eventsPage(),
    'files.md': filesPage(),
    'routes.md': routesPage(),
    'rules.md': rulesPage(),
    'toolchains.md': toolchainsPage(),
  };
}

const rulesPage = (): string =>
  page([
    ...made(
      'Rules',
      'Findings, refusals and halts are stored as a rule with its facts, and shown as a sentence. Programs go by the rule; the sentence may change. Facts stand as ‹fact›; where the sentence depends on a fact, the first form is shown.',
    ),
    ...ruleLines(),
  ]);

const boardPage = (): string =>
  page([
    ...made(
      'Records of the board',
      'Who may post a record, what it blocks, and who may do what with it. [How to use the board](../how-to/the-board.md).',
    ),
    ...boardLines(),
  ]);

const toolchainsPage = (): string =>
  page([
    ...made(
      'Toolchains',
      'What agents, `setup` and checks can read of a manager whose programs are on your PATH, or are reached by a link from there. Paths are below the place that is named, or below your home (`~`); `*` is any one name. [security.md](../security.md#what-is-visible-of-your-machine) has the rules for all other directories.',
    ),
    ...toolchainLines(),
  ]);

const made = (title: string, intro: string): readonly string[] => [
  `# ${title}`,
  '',
  '<!-- Made from the code by `npm run reference`; do not edit. -->',
  '',
  intro,
];

const page = (lines: readonly string[]): string => `${lines.join('\n').trimEnd()}\n`;

async function commandsPage(): Promise<string> {
  const commands = await allCommands(commandList);
  const shown = commands.filter(({ hidden }) => hidden !== true);
  const lines = [...made('Commands', 'What `tidegate --help` prints, and the help of each command.')];
  lines.push(
    '',
    ...code(overview(commands).map((line) => (typeof line === 'string' ? line : line.map(plain).join('')))),
  );
  for (const [group, title] of Object.entries(groups)) {
    lines.push('', `## ${title}`);
    for (const { name } of shown.filter((command) => command.group === group))
      lines.push('', `### ${name}`, '', ...code(await printed([name, '--help'])));
  }
  return page(lines);
}

const plain = (span: string | { readonly text: string }): string => (typeof span === 'string' ? span : span.text);
const code = (lines: readonly string[]): readonly string[] => ['```', ...lines, '```'];

function exitCodesPage(): string {
  const rows = Object.entries(exitCodes).map(
    ([name, exit]) => `| ${exit} | ${exitMeanings[name as keyof typeof exitCodes]} |`,
  );
  return page([
    ...made('Exit codes', 'The same for every command; with `--json` they are also the member `exit` of the document.'),
    '`tidegate shell` ends as the shell or command in it ended, which is the member `code`.',
    '',
    '| code | meaning |',
    '|---|---|',
    ...rows,
    ...Object.entries(startCodes).map(([exit, meaning]) => `| ${exit} | ${meaning} |`),
  ]);
}

function eventsPage(): string {
  const read = (name: string): string => readFileSync(new URL(`../../src/domain/${name}`, import.meta.url), 'utf8');
  const section = (
    title: string,
    intro: string,
    union: string,
    source = read('ledger/events.ts'),
  ): readonly string[] => [
    '',
    `## ${title}`,
    '',
    intro,
    ...unionMembers(source, union).flatMap(({ names, comment, fields }) => [
      '',
      `### ${names.join(', ')}`,
      ...(comment === '' ? [] : ['', comment]),
      ...(fields.length === 0
        ? []
        : ['', ...fields.map(({ name, type, note }) => `- \`${name}\`: \`${type}\`${note === '' ? '' : `. ${note}`}`)]),
      ...ofOthers(names),
    ]),
  ];
  return page([
    ...made(
      'Events',
      'The events of the ledger, as `tidegate events --json` prints them. Types are those of the source; ids are strings. The ledger stores each event with `v`, the version of its type. Reading removes it.',
    ),
    ...wordsSection,
    ...section(
      'Requests',
      'Anyone may append a request, and the coordinator answers each one. A second request with the same `key` asks for nothing new.',
      'Request',
      read('ledger/requests.ts'),
    ),
    ...section(
      'Facts of a run',
      'Only the coordinator and the merger append them, under the current epoch.',
      'RunEvent',
    ),
    ...section(
      'Facts of a landing',
      'They are in the stream of the run, too.',
      'LandingEvent',
      read('ledger/landing-events.ts'),
    ),
    ...section('Facts of the repository', 'Beside the runs.', 'RepoEvent'),
    ...section(
      'Facts of a DCM session',
      'In a stream `external:<session>`, by [the API that DCM documents](../how-to/dcm-api.md). Tidegate runs and merges nothing of it. Each also has `version: number`, the version of the rules that decided it.',
      'DcmFact',
      read('ledger/dcm-events.ts'),
    ),
  ]);
}

/** Types that are written together hold the same fields. */
function ofOthers(names: readonly string[]): readonly string[] {
  const listed: Readonly<Record<string, readonly string[]>> = wordsOfOthers;
  const paths = [...new Set(names.flatMap((name) => listed[name] ?? []))];
  return paths.length === 0 ? [] : ['', `Words of others: ${inCode(paths)}.`];
}

const inCode = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

const wordsSection: readonly string[] = [
  '',
  '## Words of others',
  '',
  'The ledger stores no sentence of Tidegate: texts are made from these events where they are read. It does store what people, agents and programs said, and names that they chose, such as files, checks, commands and branches. Each event type below lists the fields that hold them; `a.b` is a field of a field, `a[]` an item of a list, `a.**` everything below. Every other string is data: an id, a hash, a time, or a word from a closed list.',
  '',
  'Two rules hold for all events. A field `words`, at any depth, is what somebody said. A finding (`because`, `findings`, `halt`) is a `rule` with facts; these facts hold words of others:',
  '',
  `${inCode(Object.values(factsOfOthers).flat())}.`,
];

const titles: Readonly<Record<string, string>> = {
  'plan.json': 'The plan',
  'config.json': 'tidegate.yaml and tidegate.local.yaml',
  'user-config.json': "A person's own configuration",
  'handoff.json': 'The handoff',
  'webhook.json': 'What a webhook gets',
};

function filesPage(): string {
  return page([
    ...made('Files', 'Every key of every file, from the schemas in `schemas/`, which editors can use for completion.'),
    ...Object.entries({ ...jsonSchemas(), 'webhook.json': webhookJsonSchema() }).flatMap(([name, schema]) => [
      '',
      `## ${titles[name] ?? name}`,
      '',
      `\`schemas/${name}\``,
      '',
      '| key | takes | |',
      '|---|---|---|',
      ...schemaRows(schema as Schema).map(({ key, takes, note }) => `| \`${key}\` | ${takes} | ${note} |`),
    ]),
  ]);
}

function routesPage(): string {
  return page([
    ...made(
      'Routes',
      'What `tidegate serve` answers. Parameters, bodies and answers are in `schemas/openapi.json`, also at `/openapi.json`;',
    ),
    'what may change in them is in [stability](../stability.md). Roles: `read`, `operate`, `approve`, each with all of those before it.',
    ...routeLines(routes),
  ]);
}
