import { taskId } from '../../src/domain/ids.ts';
import type { FrozenPlan, PlannedTask } from '../../src/domain/plan.ts';

/** A task of a frozen plan; tests name only what they are about. */
export const plannedTask = (
  id: string,
  keys: Partial<Omit<PlannedTask, 'needs'>> & { needs?: string[] } = {},
): PlannedTask => ({
  directive: { file: null, text: 'do it' },
  role: 'impl-core',
  agent: ['command'],
  command: ['true'],
  owns: null,
  reads: [],
  shares: [],
  locks: [],
  model: null,
  priority: 5,
  capabilities: [],
  components: [],
  deliverables: [],
  proofs: [],
  exit: { completion: null, durability: null, proof: null, docs: null },
  allowEmpty: false,
  ...keys,
  id: taskId(id),
  needs: (keys.needs ?? []).map(taskId),
});

export const frozenPlan = (waves: readonly (readonly PlannedTask[])[], keys: Partial<FrozenPlan> = {}): FrozenPlan => ({
  version: 1,
  name: 'plan',
  base: 'main',
  land: 'ask',
  dispatch: 'isolated',
  schedule: 'strict',
  strict: false,
  partial: 'merge',
  fence: { mode: 'auto', network: null, read: [], write: [], env: [] },
  limits: { parallel: 4, attempts: 2, minutes: 60, silence: 15, usd: 10, turns: null, files: null, runUsd: 50 },
  taps: { start: 'run', expiresMinutes: 1440 },
  setup: null,
  teardown: null,
  checks: [],
  generated: {},
  protect: ['.github/**'],
  forbid: [],
  waves: waves.map((tasks, index) => ({ name: `wave-${index}`, tasks })),
  ...keys,
});
