// Records what ACP agents print, driven by our own executor: node scripts/agents.mjs record-acp [agent …] [-- case …]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelServer } from './model-server/server.ts';
import { acpAgents, acpAlone } from './support/acp-room.ts';
import { cases } from './support/cases.ts';
import { installed } from './support/installed.ts';
import { neutral } from './support/neutral.ts';

const usual = ['normal', 'denied', 'tool-error', 'rate-limited-for-ever', 'overloaded', 'unauthorized', 'dropped'];
const args = process.argv.slice(2);
const at = args.indexOf('--');
const named = at === -1 ? args : args.slice(0, at);
await using server = await modelServer();
for (const agent of named.length > 0 ? named : Object.keys(acpAgents))
  for (const name of at === -1 ? usual : args.slice(at + 1)) await record(agent, name);

async function record(agent: string, name: string): Promise<void> {
  const scene = cases[name];
  if (scene === undefined) throw new Error(`no case ${name}`);
  const script = `${agent}.${name}`;
  server.play(script, scene);
  const url = server.urlOf(script);
  const prompt = `[[script:${script}]] Do the task.`;
  const ended = await acpAlone(agent, { prompt, url, ...(scene.files === undefined ? {} : { files: scene.files }) });
  const plain = neutral({ root: ended.root, installed: installed(acpAgents[agent]?.pin ?? ''), agent, url });
  const directory = join(import.meta.dirname, 'transcripts', agent === 'gemini' ? 'gemini-acp' : agent);
  mkdirSync(directory, { recursive: true });
  const about = { code: ended.code, requests: server.requests(script).length, stderr: plain(ended.stderr) };
  writeFileSync(join(directory, `${name}.jsonl`), plain(ended.stdout));
  writeFileSync(join(directory, `${name}.about.json`), `${JSON.stringify(about, null, 2)}\n`);
  console.log(`${agent} ${name}: exit ${ended.code}, ${about.requests} requests`);
  for (const { problem } of server.requests(script)) if (problem !== null) console.log(`  ${problem}`);
}
