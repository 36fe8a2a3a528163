export type ProjectFacts = {
  readonly setup: string | null;
  readonly checks: readonly { readonly name: string; readonly run: string }[];
  readonly generated: Readonly<Record<string, string>>;
};

/** `tidegate.yaml`: defaults for every plan of this repository, with what was found in it. */
export function configText({ setup, checks, generated }: ProjectFacts): string {
  const lines = [
    '# Defaults for every plan in this repository; a plan may say otherwise.',
    '# All keys: tidegate config --origin',
    '',
    '# Brings in dependencies, once per set of lock files. Runs inside the fence.',
    setup === null ? '# setup: npm ci' : `setup: ${quote(setup)}`,
    '',
    '# Must pass on exactly the tree that would be merged.',
    ...(checks.length === 0
      ? ['# checks: [{ name: test, run: npm test }]']
      : ['checks:', ...checks.map(({ name, run }) => `  - { name: ${quote(name)}, run: ${quote(run)} }`)]),
    '',
    '# Written by tools: edits by agents are dropped and the file is made again.',
    ...(Object.keys(generated).length === 0
      ? ['# generated: { package-lock.json: npm install --package-lock-only }']
      : ['generated:', ...Object.entries(generated).map(([file, run]) => `  ${quote(file)}: ${quote(run)}`)]),
    '',
    '# No task may change these unless it owns them by name.',
    "protect: ['.github/**']",
  ];
  return `${lines.join('\n')}\n`;
}

/** A plan that runs as it stands, by a program that every system has. */
export const planText = `# One wave of two tasks. Try it: tidegate lint, then tidegate run
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
