import { command } from '../../frame/command.ts';

export const mcpCommand = command({
  name: 'mcp',
  group: 'serve',
  summary: 'offer status, why and logs to your assistant as MCP tools',
  // the protocol is a big library, which `--help` does not need
  run: async (_input, context, program) => (await import('./mcp-server.ts')).serveMcp(context, program),
});
