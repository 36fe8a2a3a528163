import { describe, expect, test } from 'vitest';
import { type FencedAgent, fencedRun, handoff, isInstalled, over } from './fenced-run.ts';

/** What an agent must do when it is driven by Tidegate, in the fence. */
export function describeFenced(agent: FencedAgent): void {
  describe.skipIf(!isInstalled(agent))(
    `${agent.agent} in the fence${isInstalled(agent) ? '' : ' IS NOT INSTALLED'}`,
    () => {
      test('writes what it owns, is refused the rest, hands off, and its work lands', async () => {
        await using scene = await fencedRun(agent, [
          { text: 'I will write it.', calls: [{ tool: 'write', path: 'src/hello.txt', content: 'hello\n' }] },
          { calls: [{ tool: 'write', path: 'other/not-mine.txt', content: 'no\n' }] },
          { calls: [handoff] },
          over,
        ]);

        const { code, told } = await scene.run();
        expect(code, told).toBe(0);
        expect(scene.scene.git('show', 'main:src/hello.txt')).toBe('hello');
        expect(scene.scene.git('ls-tree', '-r', '--name-only', 'main')).not.toContain('not-mine');
        const [report, ...more] = await scene.reports();
        expect(more).toEqual([]);
        expect(report).toMatchObject({ outcome: 'completed', trouble: null });
        expect(await scene.unknown()).toEqual([]);
        expect(report?.session).toBeTruthy();
        expect(report?.usage.inputTokens).toBeGreaterThan(0);
        expect(await scene.denials()).toHaveLength(1);
        expect(JSON.stringify(scene.server.requests('work').map(({ body }) => body))).toContain('Project rule 4711.');
      });
    },
  );
}
