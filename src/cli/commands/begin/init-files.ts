import type { Project } from '../../../domain/project/project.ts';

/** A file at the top of the checkout, and the lines to add to it. */
export type PlannedFile = {
  readonly name: string;
  readonly text: string;
  readonly state: 'new' | 'complete' | 'lacks' | 'unreadable';
  readonly adds: readonly string[];
};

/** The files that exist already. */
export type ExistingFiles = {
  readonly config: string | null;
  readonly include: string | null;
  /** Returns the keys at the top of a YAML text; null when it is no mapping. */
  keysOf(text: string): readonly string[] | null;
};

/** Never changes a line that exists: missing lines are added at the end. */
export function filesToWrite(project: Project, existing: ExistingFiles): readonly PlannedFile[] {
  const include = includeFile(project, existing.include);
  return [configFile(project, existing), ...(include === null ? [] : [include])];
}

/** Returns the text of a file with its missing lines added. */
export const completed = ({ text, adds }: PlannedFile): string =>
  `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${adds.map((line) => `${line}\n`).join('')}`;

export const mostConfigLines = 12;

/** Returns a new `tidegate.yaml`: the detected settings, and where all others are explained. */
export function configLines(project: Project): readonly string[] {
  const lines = Object.values(sectionsOf(project)).flat();
  return [
    '# Defaults for every plan in this repository; all keys: tidegate config --origin',
    ...(lines.length > 0 ? lines : ['# setup: npm ci', '# checks: [{ name: test, run: npm test }]']),
  ];
}

function configFile(project: Project, { config, keysOf }: ExistingFiles): PlannedFile {
  const name = 'tidegate.yaml';
  if (config === null) return { name, text: '', state: 'new', adds: configLines(project) };
  const keys = config.trim() === '' ? [] : keysOf(config);
  if (keys === null) return { name, text: config, state: 'unreadable', adds: [] };
  const sections = sectionsOf(project);
  const lacking = (['setup', 'checks', 'generated'] as const).filter((key) => !keys.includes(key));
  const adds = lacking.flatMap((key) => sections[key]);
  const file: PlannedFile = { name, text: config, state: adds.length === 0 ? 'complete' : 'lacks', adds };
  // nothing can be added after a mapping in braces
  const merged = keysOf(completed(file));
  return adds.length > 0 && merged === null ? { ...file, state: 'unreadable' } : file;
}

function includeFile({ include }: Project, text: string | null): PlannedFile | null {
  const name = '.worktreeinclude';
  if (text === null)
    return include.length === 0
      ? null
      : { name, text: '', state: 'new', adds: ['# ignored files that agents get a copy of', ...include] };
  const existing = text.split(/\r?\n/).map((line) => line.trim().replace(/^\//, ''));
  const adds = include.filter((path) => !existing.some((line) => covers(line, path.slice(1))));
  return { name, text, state: adds.length === 0 ? 'complete' : 'lacks', adds };
}

/** A line without a slash matches the name anywhere. Other patterns are not evaluated: an extra line does no harm. */
const covers = (line: string, path: string): boolean =>
  line === path ||
  (!line.includes('/') && (line === path.split('/').at(-1) || (line === '.env*' && /(^|\/)\.env[^/]*$/.test(path))));

type Sections = Readonly<Record<'setup' | 'checks' | 'generated', readonly string[]>>;

/** Returns the lines of each key. If the file would be too long, generated files share one line and the last checks are left out. */
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

/** A plan that is ready to run, by a program that every system has. */
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

/** Returns the text as a YAML scalar. */
const quote = (text: string): string =>
  /^[A-Za-z][A-Za-z0-9 ./_-]*$/.test(text) ? text : `'${text.replaceAll("'", "''")}'`;
