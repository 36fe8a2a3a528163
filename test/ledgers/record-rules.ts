// Keeps the hashes of the rules of each gate, decision and phase. Refuses rules that changed under the same version.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type RuleHash, ruleHashes } from './rule-hashes.ts';
import { files } from './stored-ledger.ts';

const kept: Readonly<Record<string, RuleHash>> = existsSync(files.rules)
  ? JSON.parse(readFileSync(files.rules, 'utf8'))
  : {};
const now = ruleHashes();
const changed = Object.entries(now).filter(
  ([name, { version, hash }]) => kept[name]?.version === version && kept[name].hash !== hash,
);
if (changed.length > 0) {
  console.error(
    `these rules changed under the same version; raise it in src/domain/gates/versions.ts: ${changed.map(([name]) => name).join(', ')}`,
  );
  process.exitCode = 1;
} else writeFileSync(files.rules, `${JSON.stringify(now, null, 2)}\n`);
