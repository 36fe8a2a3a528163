import { fileURLToPath } from 'node:url';
import type { CommandEntry } from '../cli/command.ts';
import { runCommands } from './run-commands.ts';

/**
 * Every command, in the order of `--help`. `load` composes it with the adapters it needs, and only when it is called:
 * `tidegate --help` loads none of them.
 */
export const commands: readonly CommandEntry[] = [
  {
    name: 'init',
    usage: '[--dry-run] [--no-rehearse] [--merge] [--force] [--sample]',
    summary: 'detect setup and checks, write tidegate.yaml, try it all out',
    group: 'begin',
    load: async () => {
      const [{ init }, { initPorts }] = await Promise.all([import('../cli/init.ts'), import('./init-ports.ts')]);
      return init(initPorts);
    },
  },
  {
    name: 'doctor',
    usage: '',
    summary: 'is this machine fit: git, fence, state directory, Node, agents',
    group: 'begin',
    load: async () => {
      const [{ doctor }, { examinations }] = await Promise.all([
        import('../cli/doctor.ts'),
        import('./examinations.ts'),
      ]);
      return doctor(examinations);
    },
  },
  {
    name: 'auth',
    usage: '[agent [variable]] [--check]',
    summary: 'log an agent in; --check shows who is, without a call',
    group: 'begin',
    load: async () => {
      const [{ auth }, { authPorts }] = await Promise.all([
        import('../cli/auth.ts'),
        import('./agent-examinations.ts'),
      ]);
      return auth(authPorts);
    },
  },
  {
    name: 'demo',
    usage: '',
    summary: 'a throw-away repository, five agents, one of them a rogue',
    group: 'begin',
    load: async () => {
      const [{ demo }, { makeDemoRepository }, { openDesk }] = await Promise.all([
        import('../cli/demo.ts'),
        import('../adapters/demo-repository/index.ts'),
        import('./desk.ts'),
      ]);
      const script = fileURLToPath(new URL('../../demo/make-repository.sh', import.meta.url));
      return demo(() => makeDemoRepository(script, process.env['PATH'] ?? ''), openDesk);
    },
  },
  {
    name: 'lint',
    usage: '[plan | task.md…]',
    summary: 'every mistake in a plan and its directives, with place and hint',
    group: 'begin',
    load: async () => {
      const [{ lint }, { readPlan }] = await Promise.all([import('../cli/lint.ts'), import('./plan-reader.ts')]);
      return lint(readPlan);
    },
  },
  {
    name: 'config',
    usage: '[confirm] [--origin] [--plan <file>]',
    summary: 'settings and where they come from; confirm allows what is asked',
    group: 'keep',
    load: async () => {
      const [{ config }, { configPorts }] = await Promise.all([import('../cli/config.ts'), import('./plan-reader.ts')]);
      return config(configPorts);
    },
  },
  ...runCommands,
  {
    name: 'serve',
    usage: '[--port <n>] [--socket <path>] [--host <address>] [--name <host>…] [--tls-cert <file> --tls-key <file>]',
    summary: 'an API for your programs, on this machine only',
    group: 'serve',
    load: async () => {
      const [{ serve }, { servePorts }] = await Promise.all([import('../cli/serve.ts'), import('./serve.ts')]);
      return serve(servePorts);
    },
  },
  {
    name: 'token',
    usage: '[--role <role>] [--curl] [--link] [--renew]',
    summary: 'what a script needs to talk to the server',
    group: 'serve',
    load: async () => {
      const [{ token }, { servePorts }, { mayDecide }] = await Promise.all([
        import('../cli/token.ts'),
        import('./serve.ts'),
        import('./desk.ts'),
      ]);
      return token(servePorts, mayDecide);
    },
  },
  {
    name: 'completion',
    usage: '<bash|zsh|fish>',
    summary: 'print a completion script for your shell',
    group: 'keep',
    load: async () => {
      const { completion } = await import('../cli/completion.ts');
      // a script is printed at every start of a shell: what names need is loaded when they are asked for
      return completion(commands, async (...asked) => await (await import('./desk.ts')).openDesk(...asked));
    },
  },
  {
    name: 'mcp',
    usage: '',
    summary: 'status, why and logs as MCP tools for your assistant',
    group: 'serve',
    load: async () => (await import('../cli/mcp.ts')).mcp(commands),
  },
  {
    name: 'handoff',
    usage: '<done|partial|failed> --message <text>',
    summary: 'end a task with a statement; only inside its fence',
    group: 'agent',
    load: async () => (await import('../cli/handoff.ts')).handoff,
  },
  {
    name: 'ask',
    usage: '[--scope <path…>] [-m, --message <text>] [--to <task>] [--wait <seconds>]',
    summary: 'ask a question or for paths; only inside the fence',
    group: 'agent',
    load: async () => (await import('../cli/ask.ts')).ask,
  },
];
