import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

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
