import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { bundleFenceMcp } from '../../scripts/bundle.ts';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

/** Supervisors copy it into fences, where no package lies: made into one file, where only the compiler has run. */
export async function ensureFenceMcp(): Promise<void> {
  const file = join(dist, 'main/fence-mcp.js');
  if (!/from ["']@modelcontextprotocol/.test(readFileSync(file, 'utf8'))) return;
  const beside = mkdtempSync(join(dist, 'fence-mcp-'));
  await bundleFenceMcp(beside);
  renameSync(join(beside, 'main/fence-mcp.js'), file);
  rmSync(beside, { recursive: true });
}

/** A program of one file that an agent can run inside its fence: the official client, which calls these tools one by one. */
export async function clientProgram(): Promise<string> {
  await using made = await rolldown({
    input: fileURLToPath(new URL('./mcp-client.mjs', import.meta.url)),
    platform: 'node',
    logLevel: 'silent',
  });
  const { output } = await made.generate({ codeSplitting: false, minify: true });
  return output[0].code;
}
