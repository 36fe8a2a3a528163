import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { plan, task } from '../../test/support/plans.ts';
import { claudeExecutor } from '../adapters/agent-claude/index.ts';
import { jobDirectory } from '../adapters/supervisors/job-directory.ts';
import { toolScopeOf } from '../domain/tool-scope.ts';
import { watchAgent } from './agent-watch.ts';
import { openNotes } from './notes.ts';

const root = mkdtempSync(join(tmpdir(), 'tg-watch-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a call that is not understood is not allowed; one out of scope is denied with the reason and noted', () => {
  const files = jobDirectory(root);
  mkdirSync(files.workspace, { recursive: true });
  const watch = watchAgent(
    {
      program: 'claude',
      arguments: [],
      credentials: [],
      variables: [],
      model: null,
      turns: null,
      usd: 10,
      session: null,
      scope: toolScopeOf(plan([{ a: {}, b: {} }]), task('a'), []),
      breaker: 'normal',
    } as unknown as Parameters<typeof watchAgent>[0],
    claudeExecutor,
    {
      files,
      around: { clock: { monotonic: () => 0, wall: () => 0 } } as unknown as Parameters<typeof watchAgent>[2]['around'],
      place: { workspace: '/workspace', checkout: '/checkout', home: null, writable: ['/tmp'] },
      notes: openNotes(root, [], () => undefined),
      end: () => undefined,
    },
    [],
  );
  const hook = (path: string) =>
    watch.hook({ tool_name: 'Write', tool_use_id: 't', tool_input: { file_path: path, content: 'x' } });

  for (const strange of [null, 'text', 7, [], {}, { tool_name: 3 }]) expect(watch.hook(strange).exit).toBe(2);
  expect(hook('/workspace/a/x.txt')).toEqual({ stdout: '', exit: 0 });
  expect(hook('/workspace/b/x.txt').stdout).toMatch(/"permissionDecision":"deny".*`b\/x\.txt` is out of your scope/);
  watch.close();
  expect(readFileSync(join(root, 'notes.jsonl'), 'utf8')).toContain('"rule":"out-of-scope"');
});
