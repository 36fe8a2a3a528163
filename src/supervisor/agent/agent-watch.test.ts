import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { plan, task } from '../../../test/support/plans.ts';
import { watchedAgent } from '../../../test/support/watched-agent.ts';

const root = mkdtempSync(join(tmpdir(), 'tg-watch-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a call that is not understood is not allowed; one out of scope is denied with the reason and noted', () => {
  const watch = watchedAgent(root, plan([{ a: {}, b: {} }]), task('a'));
  const hook = (path: string) =>
    watch.hook({ tool_name: 'Write', tool_use_id: 't', tool_input: { file_path: path, content: 'x' } });

  for (const strange of [null, 'text', 7, [], {}, { tool_name: 3 }]) expect(watch.hook(strange).exit).toBe(2);
  expect(hook('/workspace/a/x.txt')).toEqual({ stdout: '', exit: 0 });
  expect(hook('/workspace/b/x.txt').stdout).toMatch(/"permissionDecision":"deny".*`b\/x\.txt` is out of your scope/);
  watch.close();
  expect(readFileSync(join(root, 'notes.jsonl'), 'utf8')).toContain('"rule":"out-of-scope"');
});
