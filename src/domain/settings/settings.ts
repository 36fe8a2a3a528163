import type { Check, Network } from '../plan/plan.ts';
import type { RegistrySettings } from './agent-types.ts';
import type { ThreadPlan } from './thread.ts';

/** What a plan and every layer of configuration may say; absent means: ask the layer below. */
export type Settings = {
  readonly base?: string | undefined;
  readonly land?: 'ask' | 'auto' | 'branch' | 'pr' | 'wave' | undefined;
  readonly agent?: readonly string[] | undefined;
  /** As the agents call it; null: whatever each agent takes by itself. */
  readonly model?: string | null | undefined;
  readonly command?: readonly string[] | null | undefined;
  readonly dispatch?: 'isolated' | 'worktree' | 'sequential' | 'commit-as-you-go' | undefined;
  readonly schedule?: 'strict' | 'eager' | undefined;
  readonly strict?: boolean | undefined;
  readonly partial?: 'merge' | 'hold' | undefined;
  readonly commit?: string | null | undefined;
  readonly repair?: string | null | undefined;
  readonly fence?: FenceSettings | undefined;
  readonly limits?: LimitSettings | undefined;
  readonly taps?: { readonly start?: 'run' | 'wave' | undefined; readonly expires?: string | undefined } | undefined;
  readonly setup?: SetupSetting | undefined;
  readonly teardown?: string | null | undefined;
  readonly checks?:
    | readonly (Pick<Check, 'name' | 'run'> & {
        readonly minutes?: number | undefined;
        readonly defines?: readonly string[] | undefined;
      })[]
    | undefined;
  readonly generated?: Readonly<Record<string, string>> | undefined;
  readonly protect?: readonly string[] | undefined;
  readonly unprotect?: readonly string[] | undefined;
  readonly forbid?: readonly string[] | undefined;
  readonly block?: readonly string[] | undefined;
  readonly breaker?: 'normal' | 'strict' | undefined;
  readonly repo?:
    | { readonly root?: string | null | undefined; readonly remote?: string | null | undefined }
    | undefined;
  readonly thread?:
    | {
        readonly intake?: string | null | undefined;
        readonly threads?: string | null | undefined;
        readonly tokenFrom?: string | null | undefined;
      }
    | undefined;
  /** Of the machine, not of a run: never in a plan. */
  readonly notify?: NotifySetting | undefined;
  readonly disk?: { readonly cap?: string | undefined; readonly free?: string | undefined } | undefined;
  readonly machine?: { readonly agents?: number | undefined } | undefined;
  /** Of the planner, which works before there is a plan. */
  readonly registry?: RegistrySettings | undefined;
};

/** A shell command, alone or with the files that its product is made from; null: none. */
export type SetupSetting = string | { readonly run: string; readonly inputs: readonly string[] } | null;
export const setupCommand = (setup: SetupSetting): string | null =>
  typeof setup === 'string' ? setup : (setup?.run ?? null);

/** `off`, a command of the person's, or with a webhook as well; null: bell and desktop only. */
export type NotifySetting = readonly string[] | 'off' | NotifyWays | null;

export type NotifyWays = {
  readonly command?: readonly string[] | undefined;
  readonly webhook: string;
  /** The variable that holds what deliveries are signed with. */
  readonly secretFrom?: string | undefined;
  /** Absent: all of it. */
  readonly on?: readonly NewsKind[] | undefined;
};

export const newsKinds = ['needs-you', 'failed', 'done'] as const;
export type NewsKind = (typeof newsKinds)[number];

type FenceSettings = {
  readonly mode?: 'auto' | 'none' | undefined;
  readonly network?: Network | null | undefined;
  readonly read?: readonly string[] | undefined;
  readonly write?: readonly string[] | undefined;
  readonly env?: readonly string[] | undefined;
};

type LimitSettings = {
  readonly parallel?: number | undefined;
  readonly attempts?: number | undefined;
  readonly minutes?: number | undefined;
  readonly silence?: number | undefined;
  readonly usd?: number | undefined;
  readonly agents?: Readonly<Record<string, number>> | undefined;
  readonly turns?: number | null | undefined;
  readonly files?: number | null | undefined;
  readonly run?: { readonly usd?: number | undefined } | undefined;
};

/** `base` has none: it is the branch that the person is on. */
export const defaultSettings = {
  land: 'ask',
  agent: ['claude', 'codex', 'opencode'],
  model: null,
  command: null,
  dispatch: 'isolated',
  schedule: 'strict',
  strict: false,
  partial: 'merge',
  commit: null,
  repair: null,
  fence: { mode: 'auto', network: null, read: [], write: [], env: [] },
  limits: {
    parallel: 4,
    agents: {},
    attempts: 2,
    minutes: 60,
    silence: 15,
    usd: 10,
    turns: null,
    files: null,
    run: { usd: 50 },
  },
  taps: { start: 'run', expires: '24h' },
  setup: null,
  teardown: null,
  checks: [],
  generated: {},
  protect: ['.github/**'],
  unprotect: [],
  forbid: [],
  block: [],
  breaker: 'normal',
  repo: { root: null, remote: null },
  thread: { intake: null, threads: null, tokenFrom: null },
  notify: null,
  disk: { cap: '20GB', free: '500MB' },
  machine: { agents: 8 },
  registry: {},
} as const satisfies Settings;

/** Every key filled in, `base` excepted. */
export type ResolvedSettings = {
  readonly base: string | null;
  readonly land: NonNullable<Settings['land']>;
  readonly agent: readonly string[];
  readonly model: string | null;
  readonly command: readonly string[] | null;
  readonly dispatch: NonNullable<Settings['dispatch']>;
  readonly schedule: 'strict' | 'eager';
  readonly strict: boolean;
  readonly partial: 'merge' | 'hold';
  readonly commit: string | null;
  readonly repair: string | null;
  readonly fence: {
    readonly mode: 'auto' | 'none';
    readonly network: Network | null;
    readonly read: readonly string[];
    readonly write: readonly string[];
    readonly env: readonly string[];
  };
  readonly limits: {
    readonly parallel: number;
    readonly attempts: number;
    readonly minutes: number;
    readonly silence: number;
    readonly usd: number;
    readonly agents: Readonly<Record<string, number>>;
    readonly turns: number | null;
    readonly files: number | null;
    readonly run: { readonly usd: number };
  };
  readonly taps: { readonly start: 'run' | 'wave'; readonly expires: string };
  readonly setup: SetupSetting;
  readonly teardown: string | null;
  readonly checks: NonNullable<Settings['checks']>;
  readonly generated: Readonly<Record<string, string>>;
  readonly protect: readonly string[];
  readonly unprotect: readonly string[];
  readonly forbid: readonly string[];
  readonly block: readonly string[];
  readonly breaker: 'normal' | 'strict';
  readonly repo: { readonly root: string | null; readonly remote: string | null };
  readonly thread: ThreadPlan;
  readonly notify: NotifySetting;
  readonly disk: { readonly cap: string; readonly free: string };
  /** `agents`: attempts at work at once, over all runs of a repository. */
  readonly machine: { readonly agents: number };
  readonly registry: RegistrySettings;
};

/** `24h`, `90m`, `7d`. */
export const durationPattern = /^[1-9][0-9]{0,4}[mhd]$/;
export function durationMinutes(text: string): number {
  const unit = { m: 1, h: 60, d: 1440 }[text.slice(-1)];
  if (unit === undefined || !durationPattern.test(text)) throw new Error(`Not a duration: ${text}`);
  return Number(text.slice(0, -1)) * unit;
}
