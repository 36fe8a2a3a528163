import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TaskId } from '../../domain/base/ids.ts';
import { type ToolScope, toolDecider } from '../../domain/tool-calls/tool-scope.ts';
import type { LaunchContext } from '../../ports/executor.ts';
import { permissionRules } from './permission-rules.ts';

const place = {
  workspace: '/workspace',
  checkout: '/repo',
  home: '/home/agent',
  writable: ['/tmp', '/var/tmp', '/home/agent'],
};
const task = (id: string) => id as TaskId;
const claim = (id: string, pattern: string) => ({ task: task(id), by: 'owns', pattern }) as const;
const scope = (more: Partial<ToolScope>): ToolScope => ({
  task: task('mine'),
  kind: 'owned',
  own: [],
  granted: [],
  siblings: [],
  granting: [],
  locks: [],
  protect: [],
  generated: [],
  forbid: [],
  block: [],
  ...more,
});

const rulesOf = (of: ToolScope, network: 'on' | 'off' = 'on') => {
  const job = { agent: { scope: of }, fence: { network, read: [], write: [] } };
  return permissionRules({ job, workspace: '/workspace', home: '/home/agent' } as unknown as LaunchContext);
};

/** As opencode 1.18 has it: of all rules that match, the last one counts. */
function judged(rules: unknown, text: string): string {
  const matching = Object.entries(rules as Record<string, string>).filter(([rule]) => {
    const escaped = rule
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*/g, '.*')
      .replace(/\?/g, '.');
    const whole = escaped.endsWith(' .*') ? `${escaped.slice(0, -3)}( .*)?` : escaped;
    return new RegExp(`^${whole}$`, 's').test(text);
  });
  return matching.at(-1)?.[1] ?? 'allow';
}

const edits = (of: ToolScope, ...paths: string[]) => paths.map((path) => judged(rulesOf(of)['edit'], path));

describe('opencode is told', () => {
  test('what a task owns, and that the rest is not its own', () => {
    const owned = scope({ own: ['src/**', 'docs/*.md', 'a/'], generated: ['lock.json'], granted: ['extra.txt'] });
    expect(edits(owned, 'src/x/y.ts', 'docs/a.md', 'a/b', 'lock.json', 'extra.txt', '.tidegate/handoff.json')).toEqual(
      Array(6).fill('allow'),
    );
    expect(edits(owned, 'readme.md', 'src/.claude/settings.json', 'CLAUDE.md', '../repo/x')).toEqual(
      Array(4).fill('deny'),
    );
  });

  test('what siblings claim, when a task owns nothing by name', () => {
    const free = scope({ kind: 'unclaimed', siblings: [claim('other', 'lib/**')], protect: ['.github/**'] });
    expect(edits(free, 'readme.md', 'lib/a.ts', '.github/w.yml')).toEqual(['allow', 'deny', 'deny']);
  });

  test('that a read-only task writes nothing but its handoff and scratch files', () => {
    const reading = scope({ kind: 'read-only' });
    expect(edits(reading, 'a.txt', '.tidegate/handoff.json', '../tmp/x')).toEqual(['deny', 'allow', 'allow']);
  });

  test('which commands are not for agents', () => {
    const { bash } = rulesOf(scope({ block: ['npm publish'], forbid: ['drop tables'] }));
    const said = ['git push', 'git push -f origin', 'git reset --hard HEAD', 'git commit --no-verify', 'npm publish x'];
    expect(said.map((command) => judged(bash, command))).toEqual(Array(5).fill('deny'));
    expect(['git merge-base a b', 'git status', 'npm test'].map((command) => judged(bash, command))).toEqual(
      Array(3).fill('allow'),
    );
  });

  test('that there is no web where there is no network', () => {
    expect(rulesOf(scope({}), 'off')).toMatchObject({ webfetch: 'deny', websearch: 'deny' });
  });

  test('never that something is forbidden which the supervisor would allow', () => {
    const name = fc.constantFrom('a', 'b', 'c.md', 'd.ts', '2024');
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    const wild = fc.constantFrom('*', '**', '?', '*.md', 'a', 'b', 'c.md', '2024');
    const text = fc.array(wild, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const claims = fc.array(
      text.map((pattern) => claim('other', pattern)),
      { maxLength: 3 },
    );
    const anyScope = fc.record({
      kind: fc.constantFrom('owned', 'unclaimed', 'read-only'),
      own: fc.array(text, { maxLength: 3 }),
      granted: fc.array(path, { maxLength: 2 }),
      siblings: claims,
      locks: claims,
      protect: fc.array(text, { maxLength: 2 }),
      generated: fc.array(path, { maxLength: 1 }),
    });
    fc.assert(
      fc.property(anyScope, path, (some, written) => {
        const of = scope(some as Partial<ToolScope>);
        const call = { id: '1', tool: 'write', kind: 'write', paths: [written], command: null, lines: null, input: '' };
        const decision = toolDecider(of, place)(call as Parameters<ReturnType<typeof toolDecider>>[0]);
        if (decision.decision === 'allow') expect(edits(of, written)).toEqual(['allow']);
      }),
      { numRuns: 2000 },
    );
  });
});
