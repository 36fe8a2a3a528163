import { mkdirSync } from 'node:fs';
import { jobDirectory } from '../../src/adapters/supervisors/job-directory.ts';
import { claudeExecutor } from '../../src/agents/claude/executor.ts';
import type { FrozenPlan, PlannedTask } from '../../src/domain/plan/plan.ts';
import { toolScopeOf } from '../../src/domain/tool-calls/tool-scope.ts';
import { type AgentWatch, watchAgent } from '../../src/supervisor/agent/agent-watch.ts';
import { openNotes } from '../../src/supervisor/job/control.ts';

/** A supervisor's watch over a claude that is not there: its files are below `root`, what it asks comes by `hook`. */
export function watchedAgent(root: string, plan: FrozenPlan, task: PlannedTask): AgentWatch {
  const files = jobDirectory(root);
  mkdirSync(files.workspace, { recursive: true });
  return watchAgent(
    {
      program: 'claude',
      arguments: [],
      credentials: [],
      variables: [],
      model: null,
      turns: null,
      usd: 10,
      session: null,
      scope: toolScopeOf(plan, task, []),
      breaker: 'normal',
    },
    claudeExecutor,
    {
      files,
      clock: { monotonic: () => performance.now(), wall: () => Date.now() },
      place: { workspace: '/workspace', checkout: '/checkout', home: null, writable: ['/tmp'] },
      notes: openNotes(
        root,
        () => [],
        () => undefined,
      ),
      secrets: () => [],
      end: () => undefined,
    },
  );
}
