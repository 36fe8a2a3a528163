import type { Call, Fault, Script, Turn } from '../model-server/script.ts';
import type { AgentName } from './installed.ts';
import type { Ask } from './invocation.ts';

/** One recorded behaviour: what the model says, and how the agent is asked. */
export interface Case {
  readonly turns: readonly Turn[];
  readonly files?: Readonly<Record<string, string>>;
  readonly ask?: Pick<Ask, 'guarded' | 'args'>;
  readonly endless?: true;
  /** Only agents that have the means. */
  readonly only?: readonly AgentName[];
}

const write: Call = { tool: 'write', path: 'src/hello.txt', content: 'hello\n' };
const done: Turn = { text: 'All done.' };
const failing = (fault: Fault): Script => ({ turns: [{ calls: [write] }, { ...done, faults: [fault] }] });
const spiral = (turns: number, calls: (turn: number) => readonly Call[]): readonly Turn[] => [
  ...Array.from({ length: turns }, (_, turn) => ({ calls: calls(turn) })),
  done,
];
const longFile = Array.from({ length: 3_000 }, (_, line) => `line ${line + 1}`).join('\n');

export const cases: Readonly<Record<string, Case>> = {
  normal: {
    turns: [
      { text: 'I will write it.', calls: [write] },
      { calls: [{ tool: 'bash', command: 'echo ran > ran.txt; cat src/hello.txt' }] },
      { calls: [{ tool: 'edit', path: 'src/hello.txt', old: 'hello', new: 'hello there' }] },
      { calls: [{ tool: 'read', path: 'src/hello.txt' }], usage: { input: 1_000, output: 50 } },
      done,
    ],
  },
  denied: {
    ask: { guarded: true },
    turns: [
      { calls: [{ tool: 'write', path: 'forbidden/a.txt', content: 'a\n' }] },
      { calls: [{ tool: 'bash', command: 'mkdir -p forbidden && echo b > forbidden/b.txt' }] },
      { calls: [write] },
      done,
    ],
  },
  /** In a list the redirect belongs to no single command, and opencode's rules judge single commands. */
  'denied-redirect': {
    ask: { guarded: true },
    files: { 'forbidden/there.txt': 'there\n' },
    turns: [{ calls: [{ tool: 'bash', command: 'true && echo b > forbidden/b.txt' }] }, done],
  },
  'tool-error': {
    files: { 'src/there.txt': 'there\n' },
    turns: [
      { calls: [{ tool: 'read', path: 'src/there.txt' }] },
      { calls: [{ tool: 'edit', path: 'src/there.txt', old: 'not there', new: 'x' }] },
      { calls: [{ tool: 'bash', command: 'echo out; echo err >&2; exit 3' }] },
      { calls: [{ tool: 'read', path: 'src/missing.txt' }] },
      done,
    ],
  },
  'rate-limited': failing({ fault: 'rate-limited', retryAfter: 1 }),
  'rate-limited-for-ever': failing({ fault: 'rate-limited', retryAfter: 1, times: 'always' }),
  'rate-limited-until': failing({ fault: 'rate-limited', resetAt: '2030-01-01T00:00:00Z', times: 'always' }),
  overloaded: failing({ fault: 'overloaded', times: 'always' }),
  'overloaded-mid-stream': failing({ fault: 'overloaded-mid-stream', times: 'always' }),
  unauthorized: failing({ fault: 'unauthorized', times: 'always' }),
  // Not for ever: opencode would summarise and ask again without end.
  'prompt-too-long': failing({ fault: 'prompt-too-long', times: 3 }),
  dropped: failing({ fault: 'dropped', times: 'always' }),
  'dropped-once': failing({ fault: 'dropped' }),
  malformed: failing({ fault: 'malformed', times: 'always' }),
  /** Never answers its second turn: not recorded, the agent has to be ended. */
  silent: { ...failing({ fault: 'hang', after: 'nothing', times: 'always' }), endless: true },
  'max-turns': {
    only: ['claude'],
    ask: { args: ['--max-turns', '2'] },
    turns: spiral(5, (turn) => [{ tool: 'bash', command: `echo ${turn}` }]),
  },
  'max-budget': {
    only: ['claude'],
    ask: { args: ['--max-budget-usd', '0.002'] },
    turns: spiral(5, (turn) => [{ tool: 'bash', command: `echo ${turn}` }]),
  },
  'spiral-pages': {
    files: { 'long.txt': longFile },
    turns: spiral(6, (turn) => [{ tool: 'read', path: 'long.txt', offset: 1 + turn * 10, limit: 100 }]),
  },
  'spiral-repeat': {
    files: { 'src/there.txt': 'there\n' },
    turns: spiral(6, () => [{ tool: 'bash', command: 'ls -la   src' }]),
  },
  'spiral-error': {
    files: { 'src/there.txt': 'there\n' },
    turns: spiral(6, () => [{ tool: 'edit', path: 'src/there.txt', old: 'not there', new: 'x' }]),
  },
  'spiral-revert': {
    turns: spiral(8, (turn) => [{ tool: 'write', path: 'src/flip.txt', content: turn % 2 === 0 ? 'one\n' : 'two\n' }]),
  },
  'healthy-pages': {
    files: { 'long.txt': longFile },
    turns: spiral(6, (turn) => [{ tool: 'read', path: 'long.txt', offset: 1 + turn * 500, limit: 500 }]),
  },
};
