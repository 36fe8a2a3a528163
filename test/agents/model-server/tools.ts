import type { Tool } from './conversation.ts';
import type { Call } from './script.ts';

/** A call in the words of the agent that will run it; a string is the input of a freeform tool. */
export interface VendorCall {
  readonly id: string;
  readonly name: string;
  readonly input: object | string;
}

/** Chooses among the tools that the request offers. Throws when the agent has none for the call: a script cannot be played. */
export function translate(call: Call, tools: readonly Tool[], id: string): VendorCall {
  const has = (name: string): boolean => tools.some((tool) => tool.name === name);
  // Codex would have its model search for tools of MCP first, and takes a call of them all the same.
  const found = ([name]: Candidate): boolean => call.tool === 'mcp' && name.startsWith('mcp__') && has('tool_search');
  const offered = (one: Candidate): boolean => call.tool === 'raw' || has(one[0]) || found(one);
  const chosen = candidates(call, tools).find(offered);
  if (chosen !== undefined) return { id, name: chosen[0], input: chosen[1] };
  throw new Error(`no tool for "${call.tool}" among ${tools.map(({ name }) => name).join(', ')}`);
}

type Candidate = readonly [name: string, input: object | string];

function candidates(call: Call, tools: readonly Tool[]): readonly Candidate[] {
  switch (call.tool) {
    case 'write':
      return [
        ['Write', { file_path: call.path, content: call.content }],
        ['write_file', { file_path: call.path, content: call.content }],
        ['write', { filePath: call.path, content: call.content }],
        ['apply_patch', patched(tools, addition(call.path, call.content))],
        ...shells(`cat > ${quoted(call.path)} <<'END_OF_FILE'\n${call.content}\nEND_OF_FILE\n`),
      ];
    case 'edit':
      return [
        ['Edit', { file_path: call.path, old_string: call.old, new_string: call.new }],
        [
          'replace',
          { file_path: call.path, old_string: call.old, new_string: call.new, instruction: 'Replace the text.' },
        ],
        ['edit', { filePath: call.path, oldString: call.old, newString: call.new }],
        ['apply_patch', patched(tools, replacement(call.path, call.old, call.new))],
      ];
    case 'bash':
      return [
        ['Bash', { command: call.command, description: 'Run a command' }],
        ['run_shell_command', { command: call.command, description: 'Run a command' }],
        ['bash', { command: call.command, description: 'Run a command' }],
        ...shells(call.command),
      ];
    case 'read':
      return [
        ['Read', { file_path: call.path, ...range(call, 'offset', 'limit') }],
        ['read_file', { file_path: call.path, ...lines(call) }],
        ['read', { filePath: call.path, ...range(call, 'offset', 'limit') }],
        ...shells(`sed -n '${call.offset ?? 1},${(call.offset ?? 1) + (call.limit ?? 200) - 1}p' ${quoted(call.path)}`),
      ];
    case 'mcp':
      return [`mcp__tidegate__${call.name}`, `tidegate_${call.name}`, `mcp_tidegate_${call.name}`].map((name) => [
        name,
        call.input,
      ]);
    case 'raw':
      return [[call.name, call.input]];
  }
}

/** Codex has called its shell by several names. */
const shells = (command: string): readonly Candidate[] => [
  ['exec_command', { cmd: command }],
  ['shell_command', { command }],
  ['shell', { command: ['bash', '-lc', command] }],
];

const patched = (tools: readonly Tool[], patch: string) =>
  tools.find(({ name }) => name === 'apply_patch')?.freeform === true ? patch : { input: patch };

const addition = (path: string, content: string) =>
  `*** Begin Patch\n*** Add File: ${path}\n${prefixed('+', content)}\n*** End Patch\n`;

const replacement = (path: string, from: string, to: string) =>
  `*** Begin Patch\n*** Update File: ${path}\n@@\n${prefixed('-', from)}\n${prefixed('+', to)}\n*** End Patch\n`;

const prefixed = (sign: string, content: string) =>
  content
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `${sign}${line}`)
    .join('\n');

type Read = Extract<Call, { readonly tool: 'read' }>;

const range = (call: Read, offset: string, limit: string) => ({
  ...(call.offset === undefined ? {} : { [offset]: call.offset }),
  ...(call.limit === undefined ? {} : { [limit]: call.limit }),
});

const lines = (call: Read) => ({
  ...(call.offset === undefined ? {} : { start_line: call.offset }),
  ...(call.limit === undefined ? {} : { end_line: (call.offset ?? 1) + call.limit - 1 }),
});

const quoted = (path: string) => `'${path.replaceAll("'", `'\\''`)}'`;
