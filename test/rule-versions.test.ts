import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type RuleHash, ruleHashes } from './ledgers/rule-hashes.ts';
import { files } from './ledgers/stored-ledger.ts';

const kept: Readonly<Record<string, RuleHash>> = JSON.parse(readFileSync(files.rules, 'utf8'));

/**
 * Replay compares verdicts of the same version only. Rules that change under an old version would make sound ledgers differ: raise the
 * version in src/domain/gates/versions.ts, then `npm run ledgers:rules`.
 */
test.each(Object.entries(ruleHashes()))('the rules of %s are those of its version', (name, now) => {
  expect({ name, ...now }).toEqual({ name, ...kept[name] });
});
