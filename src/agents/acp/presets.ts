import type { Launch, Seat } from '../../ports/executor.ts';
import { claudeEnvironment, claudeSettings } from '../claude/executor.ts';
import { codexFiles } from '../codex/executor.ts';
import { opencodeEnvironment } from '../opencode/executor.ts';
import { askingRules } from '../opencode/permission-rules.ts';

type Preset = Pick<Launch, 'environment' | 'files'> & {
  readonly args: readonly string[];
  /** What it is told with each session that is opened, outside the protocol. */
  readonly meta?: object;
  /** By which it loads the last session of its home, where it cannot be trusted with the session's own name. */
  readonly lastSession?: string;
  /** It forgets a turn that is cancelled. */
  readonly forgets?: true;
};

/** What a known agent needs beside the protocol. A program that is not known gets nothing. */
export const presetOf = (seat: Seat): Preset =>
  presets[seat.job.agent?.program ?? '']?.(seat) ?? { args: [], environment: {}, files: {} };

const presets: Readonly<Record<string, (seat: Seat) => Preset>> = {
  gemini: (seat) => ({
    // of MCP servers ours alone: what the repository names would run unasked
    args: ['--model', seat.job.agent?.model ?? 'gemini-2.5-pro', '--allowed-mcp-server-names', 'tidegate'],
    environment: {
      GEMINI_CLI_HOME: seat.home,
      // otherwise it asks whether it may work here
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_CLI_NO_RELAUNCH: 'true',
    },
    files: { '.gemini/settings.json': JSON.stringify(geminiSettings) },
    // It opens a file for the session that it is about to load. Within the minute in which that began, this is the same file, and
    // it is emptied; later, both go when it tidies up. Under another name it leaves the session alone.
    lastSession: 'latest',
    forgets: true,
  }),
  opencode: (seat) => ({
    args: [],
    environment: opencodeEnvironment(seat, { permission: askingRules(seat) }),
    files: {},
  }),
  'claude-agent-acp': (seat) => ({
    args: [],
    environment: {
      ...claudeEnvironment(seat.home),
      ...(seat.drives === null ? {} : { CLAUDE_CODE_EXECUTABLE: seat.drives }),
      ...(seat.job.agent?.model == null ? {} : { ANTHROPIC_MODEL: seat.job.agent.model }),
    },
    files: {},
    meta: { claudeCode: { options: { settings: claudeSettings(seat.client), strictMcpConfig: true } } },
  }),
  'codex-acp': (seat) => ({
    args: [],
    environment: {
      CODEX_HOME: `${seat.home}/codex`,
      // Codex's own sandbox cannot work inside our fence, and its other modes need it.
      INITIAL_AGENT_MODE: 'agent-full-access',
      CODEX_CONFIG: JSON.stringify({
        // Hooks that nobody has said yes to by hand are skipped without a word: ours must not be.
        bypass_hook_trust: true,
        ...(seat.job.agent?.model == null ? {} : { model: seat.job.agent.model }),
      }),
      NO_BROWSER: '1',
      ...(seat.drives === null ? {} : { CODEX_PATH: seat.drives }),
    },
    files: codexFiles(seat),
  }),
};

const geminiSettings = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  general: { disableAutoUpdate: true, disableUpdateNag: true, maxAttempts: 3, sessionRetention: { enabled: false } },
  context: { fileName: ['GEMINI.md', 'AGENTS.md'] },
  privacy: { usageStatisticsEnabled: false },
};
