import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeDemoRepository } from './index.ts';

const script = fileURLToPath(new URL('../../../demo/make-repository.sh', import.meta.url));

test('the demo has a clean repository on main whose tests pass, and a rogue that knows where it lies', async () => {
  const demo = await makeDemoRepository(script, process.env['PATH'] ?? '');
  try {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: demo.path, encoding: 'utf8' });
    expect(git('status', '--porcelain')).toBe('');
    expect(git('branch', '--show-current')).toBe('main\n');
    expect(execFileSync('sh', ['test.sh'], { cwd: demo.path, encoding: 'utf8' })).toBe('ok   tests/greet-test.sh\n');
    expect(readFileSync(join(demo.path, 'agents/where-main-lives.txt'), 'utf8')).toBe(`${demo.path}\n`);
    expect(readFileSync(demo.plan, 'utf8')).toContain(`      ${demo.rogue}:\n`);
  } finally {
    rmSync(demo.directory, { recursive: true });
  }
});
