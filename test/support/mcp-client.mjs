import { writeFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** `node client.mjs <file> <calls as JSON>`: connects to `tidegate mcp`, and writes its tools and what each call gave. */
const [file, calls] = process.argv.slice(2);
const client = new Client({ name: 'test', version: '1' });
await client.connect(new StdioClientTransport({ command: 'tidegate', args: ['mcp'] }));
const { tools } = await client.listTools();
const results = [];
for (const [name, given] of JSON.parse(calls)) {
  const { content, isError = false } = await client.callTool({ name, arguments: given });
  results.push({ name, isError, text: content[0].text });
}
writeFileSync(file, JSON.stringify({ tools: tools.map(({ name }) => name), results }));
await client.close();
