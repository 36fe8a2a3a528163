// The model server as a process of its own, for tests that put it into a namespace where they are not:
//
//   node test/agents/model-server/main.ts [--port 0] --scripts scripts.json [--log requests.jsonl]
//
// Prints one line of JSON with the port when it listens, and ends with SIGTERM.
import { appendFileSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Script } from './script.ts';
import { modelServer } from './server.ts';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, scripts: { type: 'string' }, log: { type: 'string' } },
});
if (values.scripts === undefined) throw new Error('--scripts FILE is needed: {"NAME": {"turns": [...]}, ...}');
const { log } = values;
const server = await modelServer({
  port: Number(values.port),
  scripts: JSON.parse(readFileSync(values.scripts, 'utf8')) as Record<string, Script>,
  ...(log === undefined ? {} : { onRequest: (request) => appendFileSync(log, `${JSON.stringify(request)}\n`) }),
});
process.stdout.write(`${JSON.stringify({ port: server.port, url: server.url })}\n`);
