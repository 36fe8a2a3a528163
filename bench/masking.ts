// How fast output passes through the masking of secrets, in MB per second of CPU. Run: node bench/masking.ts
import { globSync, readFileSync } from 'node:fs';
import { redactor } from '../src/supervisor/output/redact.ts';

const megabytes = 64;
const sources = globSync('src/**/*.ts').map((file) => readFileSync(file, 'utf8'));
const inputs: Readonly<Record<string, string>> = {
  sources: sources.join('\n'),
  'a lockfile': readFileSync('package-lock.json', 'utf8'),
  'lines of JSON': sources.map((text) => JSON.stringify({ type: 'text', text })).join('\n'),
  'one line of base64': Buffer.from(sources.join('')).toString('base64'),
};

for (const [name, text] of Object.entries(inputs))
  for (const size of [65_536, 4_096])
    console.log(`${name}, ${size} bytes at once: ${Math.round(speedOf(Buffer.from(text), size))} MB/s`);

function speedOf(unit: Buffer, size: number): number {
  let passed = 0;
  const redact = redactor(
    () => ['a-known-value', 'another-known-value'],
    (chunk) => {
      passed += chunk.length;
    },
  );
  const bytes = Buffer.concat(Array.from({ length: Math.ceil((megabytes << 20) / unit.length) }, () => unit));
  const before = process.cpuUsage();
  for (let at = 0; at < bytes.length; at += size) redact.write(bytes.subarray(at, at + size));
  redact.end();
  const { user, system } = process.cpuUsage(before);
  if (passed < bytes.length / 2) throw new Error('most of it was masked');
  return bytes.length / (user + system);
}
