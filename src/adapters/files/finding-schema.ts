import { z } from 'zod';
import { knownRules } from '../../domain/explain/explain.ts';
import type { Finding } from '../../domain/findings/finding.ts';

const known: ReadonlySet<string> = new Set(knownRules);

/** A finding from another process of ours, of the same version: its rule is one that we can explain. */
export const findingSchema: z.ZodType<Finding> = z.custom<Finding>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    'rule' in value &&
    typeof value.rule === 'string' &&
    known.has(value.rule),
);
