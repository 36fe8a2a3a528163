import { command } from '../../frame/definition.ts';

export const mcpCommand = command({
  name: 'mcp',
  group: 'serve',
  summary: 'status, why and logs as MCP tools for your assistant',
  run: async (...call) => (await import('../../serve/mcp.ts')).speakMcp(...call),
});
