import type { Project } from '../../domain/project/project.ts';

/** What becomes of one file at the top of the checkout. `adds` are lines that it lacks. */
export type PlannedFile = {
  readonly name: string;
  readonly text: string;
  readonly state: 'new' | 'complete' | 'lacks' | 'unreadable';
  readonly adds: readonly string[];
};

/** What is there, and the keys that `tidegate.yaml` has at its top; null when it is no mapping. */
export type Existing = {
  readonly config: string | null;
  readonly include: string | null;
  keysOf(text: string): readonly string[] | null;
};

/** Nothing that is written in a file is changed: what it lacks comes at its end. */
export function filesToWrite(project: Project, existing: Existing): readonly PlannedFile[] {
  const include = includeFile(project, existing.include);
  return [configFile(project, existing), ...(include === null ? [] : [include])];
}

/** What a file is when what it lacks is added. */
export const completed = ({ text, adds }: PlannedFile): string =>
  `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${adds.map((line) => `${line}\n`).join('')}`;

/** `tidegate.yaml`, at most 12 lines: what was found, and where the rest is explained. */
export const mostConfigLines = 12;

export function configLines(project: Project): readonly string[] {
  const lines = Object.values(sectionsOf(project)).flat();
  return [
    '# Defaults for every plan in this repository; all keys: tidegate config --origin',
    ...(lines.length > 0 ? lines : ['# setup: npm ci', '# checks: [{ name: test, run: npm test }]']),
  ];
}

function configFile(project: Project, { config, keysOf }: Existing): PlannedFile {
  const name = 'tidegate.yaml';
  if (config === null) return { name, text: '', state: 'new', adds: configLines(project) };
  const keys = config.trim() === '' ? [] : keysOf(config);
  if (keys === null) return { name, text: config, state: 'unreadable', adds: [] };
  const sections = sectionsOf(project);
  const lacking = (['setup', 'checks', 'generated'] as const).filter((key) => !keys.includes(key));
  const adds = lacking.flatMap((key) => sections[key]);
  const file: PlannedFile = { name, text: config, state: adds.length === 0 ? 'complete' : 'lacks', adds };
  // a mapping in braces ends before what is added to the file
  const merged = keysOf(completed(file));
  return adds.length > 0 && merged === null ? { ...file, state: 'unreadable' } : file;
}

function includeFile({ include }: Project, text: string | null): PlannedFile | null {
  const name = '.worktreeinclude';
  if (text === null)
    return include.length === 0
      ? null
      : { name, text: '', state: 'new', adds: ['# ignored files that agents get a copy of', ...include] };
  const there = text.split(/\r?\n/).map((line) => line.trim().replace(/^\//, ''));
  const adds = include.filter((path) => !there.some((line) => covers(line, path.slice(1))));
  return { name, text, state: adds.length === 0 ? 'complete' : 'lacks', adds };
}

/** A line without a slash means the name anywhere. Other patterns are not read: a line too many does no harm. */
const covers = (line: string, path: string): boolean =>
  line === path ||
  (!line.includes('/') && (line === path.split('/').at(-1) || (line === '.env*' && /(^|\/)\.env[^/]*$/.test(path))));

type Sections = Readonly<Record<'setup' | 'checks' | 'generated', readonly string[]>>;

/** Lines of each key. Where all would be too long, generated files share one, and the last checks are left out. */
function sectionsOf({ setup, checks, generated }: Project): Sections {
  const files = Object.entries(generated).map(([file, run]) => `${quote(file)}: ${quote(run)}`);
  const room = mostConfigLines - 1 - (setup === null ? 0 : 1) - 1;
  const isLong = checks.length + 1 + files.length > room;
  const written = checks.slice(0, files.length === 0 ? room : room - (isLong ? 1 : files.length + 1));
  return {
    setup: setup === null ? [] : [`setup: ${quote(setup)}`],
    checks:
      written.length === 0
        ? []
        : ['checks:', ...written.map(({ name, run }) => `  - { name: ${quote(name)}, run: ${quote(run)} }`)],
    generated:
      files.length === 0
        ? []
        : isLong
          ? [`generated: { ${files.join(', ')} }`]
          : ['generated:', ...files.map((line) => `  ${line}`)],
  };
}

/** A plan that runs as it stands, by a program that every system has. */
export const firstPlanText = `# One wave of two tasks. Try it: tidegate lint, then tidegate run
agent: command
tasks:
  hello:
    do: |
      Write HELLO.md with one line that greets the reader.

      ## Acceptance
      - HELLO.md exists and has exactly one line.
    owns: [HELLO.md]
    command: [sh, -c, 'echo "Hello from Tidegate" > HELLO.md && tidegate handoff done -m "wrote HELLO.md"']
  reply:
    do: |
      Write REPLY.md with one line that quotes HELLO.md.

      ## Acceptance
      - REPLY.md contains the line of HELLO.md.
    owns: [REPLY.md]
    needs: [hello]
    command: [sh, -c, 'sed "s/^/> /" HELLO.md > REPLY.md && tidegate handoff done -m "wrote REPLY.md"']
`;

/** A YAML scalar that means the very text. */
const quote = (text: string): string =>
  /^[A-Za-z][A-Za-z0-9 ./_-]*$/.test(text) ? text : `'${text.replaceAll("'", "''")}'`;
