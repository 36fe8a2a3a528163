import { command } from '../definition.ts';

export const mcpCommand = command({
  name: 'mcp',
  group: 'serve',
  summary: 'status, why and logs as MCP tools for your assistant',
  run: async (...call) => (await import('../mcp.ts')).speakMcp(...call),
});
