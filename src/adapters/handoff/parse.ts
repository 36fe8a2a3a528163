import { err, ok, type Result } from '../../domain/base/result.ts';
import { exitLevels } from '../../domain/closure/exit-contract.ts';
import type { HandoffMisfit } from '../../domain/findings/attempt-rules.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { Handoff } from '../../domain/gates/evidence.ts';
import { isList, isText, type JsonFields, readReport, reportFault } from './parse-report.ts';

/** The whole document, in bytes of UTF-8. */
export const handoffLimit = 16 * 1024;

const lists = ['remaining', 'files', 'proofs', 'questions', 'dropped'] as const;
const keys = new Set<string>(['status', 'summary', 'nonce', 'claims', 'report', ...lists]);

/**
 * Accepts exactly what the published schema accepts (a property test holds the two together), without loading a schema library
 * into every supervisor. Takes bytes: invalid UTF-8 must not be repaired into something that looks valid.
 */
export function parseHandoff(bytes: Uint8Array): Result<Handoff, Finding> {
  if (bytes.length > handoffLimit) return err({ rule: 'handoff-size', bytes: bytes.length, limit: handoffLimit });
  const text = decoded(bytes);
  if (text === null) return err({ rule: 'handoff-encoding' });
  const document = jsonIn(text);
  if (document === undefined) return err({ rule: 'handoff-json' });
  const problem = misfit(document);
  if (problem !== null) return err({ rule: 'handoff-schema', ...problem });
  const handoff = document as Pick<Handoff, 'status' | 'summary' | 'nonce'> & Partial<Handoff>;
  const list = (name: (typeof lists)[number]): readonly string[] => handoff[name] ?? [];
  const { status, summary, nonce, claims, report, dropped } = handoff;
  return ok({
    status,
    summary,
    remaining: list('remaining'),
    files: list('files'),
    proofs: list('proofs'),
    questions: list('questions'),
    nonce,
    ...(claims === undefined ? {} : { claims }),
    ...(dropped === undefined ? {} : { dropped }),
    ...(report === undefined ? {} : { report: readReport(report) }),
  });
}

function misfit(document: unknown): HandoffMisfit | null {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return { fault: 'not-object' };
  const fields = document as JsonFields;
  const unknown = Object.keys(fields).find((key) => !keys.has(key));
  if (unknown !== undefined) return { fault: 'unknown-key', key: unknown.slice(0, 80) };
  if (!['done', 'partial', 'failed'].includes(fields['status'] as string)) return { fault: 'status' };
  if (!isText(fields['summary'], 1, 4000)) return { fault: 'summary' };
  if (!isText(fields['nonce'], 1, 200)) return { fault: 'nonce' };
  if (fields['claims'] !== undefined && !isClaims(fields['claims'])) return { fault: 'claims' };
  const wrong = lists.find((name) => fields[name] !== undefined && !isList(fields[name]));
  if (wrong !== undefined) return { fault: 'list', key: wrong };
  return fields['report'] === undefined ? null : reportFault(fields['report']);
}

/** Each part of an exit contract with its levels, and whether the agent met the contract. */
const claimWords: Readonly<Record<string, readonly string[]>> = { ...exitLevels, state: ['met', 'gap'] };

const isClaims = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(
    ([part, word]) =>
      typeof word === 'string' && Object.hasOwn(claimWords, part) && claimWords[part]?.includes(word) === true,
  );

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** undefined is no JSON value. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
