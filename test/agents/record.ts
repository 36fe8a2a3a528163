// Records what the real agents print into test/agents/transcripts, the input of parser and breaker tests:
//
//   node scripts/agents.mjs record [agent …] [-- case …]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelServer } from './model-server/server.ts';
import { agentRoom } from './support/agent-room.ts';
import { cases } from './support/cases.ts';
import { type AgentName, agentNames, installed } from './support/installed.ts';
import { neutral } from './support/neutral.ts';

const [agents, wanted] = selection(process.argv.slice(2));
await using server = await modelServer();
for (const agent of agents) {
  if (installed(agent).program === null) {
    console.log(`${agent} is not installed`);
    continue;
  }
  for (const name of wanted) await record(agent, name);
}

async function record(agent: AgentName, name: string): Promise<void> {
  const scene = cases[name];
  if (scene === undefined) throw new Error(`no case ${name}`);
  if (scene.endless || (scene.only !== undefined && !scene.only.includes(agent))) return;
  await using room = agentRoom(agent);
  for (const [path, content] of Object.entries(scene.files ?? {})) room.write(path, content);
  const script = `${agent}.${name}`;
  server.play(script, scene);
  const started = performance.now();
  const running = room.start({ prompt: `[[script:${script}]] Do the task.`, url: server.urlOf(script), ...scene.ask });
  const limit = setTimeout(() => running.signal('SIGKILL'), 180_000);
  const ended = await running.ended.finally(() => clearTimeout(limit));
  const plain = neutral({ root: room.root, installed: installed(agent), agent, url: server.urlOf(script) });
  const directory = join(import.meta.dirname, 'transcripts', agent);
  mkdirSync(directory, { recursive: true });
  const requests = server.requests(script);
  const { code, signal } = ended;
  const command = ended.argv.map(plain).join(' ');
  const about = { command, code, signal, requests: requests.length, stderr: plain(ended.stderr) };
  writeFileSync(join(directory, `${name}.jsonl`), plain(ended.stdout));
  writeFileSync(join(directory, `${name}.about.json`), `${JSON.stringify(about, null, 2)}\n`);
  const took = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${agent} ${name}: exit ${code ?? signal}, ${requests.length} requests, ${took} s`);
  for (const { problem } of requests) if (problem !== null) console.log(`  ${problem}`);
}

function selection(args: readonly string[]): readonly [readonly AgentName[], readonly string[]] {
  const at = args.indexOf('--');
  const named = (at === -1 ? args : args.slice(0, at)).map((arg) => agentNames.find((name) => name === arg));
  const agents = named.filter((name) => name !== undefined);
  return [agents.length > 0 ? agents : agentNames, at === -1 ? Object.keys(cases) : args.slice(at + 1)];
}
