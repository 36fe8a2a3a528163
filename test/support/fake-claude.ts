import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * A program named `claude` that speaks its protocol as far as a shell script can: `script` runs after the prompt was read.
 * `say LINE` prints one, `through COST` says that it is done. Returns what PATH has to be.
 */
export function fakeClaude(beside: string, script: string): string {
  const program = join(beside, 'bin', 'claude');
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(
    program,
    `#!/bin/sh
case " $* " in *' --version '*) echo 0.0.0; exit 0 ;; esac
say() { printf '%s\\n' "$1"; }
result() { say "{\\"type\\":\\"result\\",\\"num_turns\\":1,\\"usage\\":{\\"input_tokens\\":100,\\"output_tokens\\":10},$1}"; }
through() { result "\\"subtype\\":\\"success\\",\\"is_error\\":false,\\"terminal_reason\\":\\"completed\\",\\"total_cost_usd\\":$1"; }
say '{"type":"system","subtype":"init","session_id":"s1","model":"fake"}'
read -r prompt
${script}
`,
  );
  chmodSync(program, 0o755);
  return `${dirname(program)}:${process.env['PATH'] ?? ''}`;
}
