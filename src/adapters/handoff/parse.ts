import type { Handoff } from '../../domain/evidence.ts';
import { err, ok, type Result } from '../../domain/result.ts';

/** The whole document, in bytes of UTF-8. */
export const handoffLimit = 16 * 1024;

const lists = ['remaining', 'files', 'proofs', 'questions'] as const;
const keys = new Set<string>(['status', 'summary', 'nonce', ...lists]);

/**
 * Accepts exactly what the published schema accepts (a property test holds the two together), without loading a schema library
 * into every supervisor. Takes bytes: invalid UTF-8 must not be repaired into something that looks valid.
 */
export function parseHandoff(bytes: Uint8Array): Result<Handoff, string> {
  if (bytes.length > handoffLimit) return err(`handoff has ${bytes.length} bytes, at most ${handoffLimit} are allowed`);
  const text = decoded(bytes);
  if (text === null) return err('handoff is not valid UTF-8');
  const document = jsonIn(text);
  if (document === undefined) return err('handoff is not JSON');
  const problem = misfit(document);
  if (problem !== null) return err(`handoff does not fit its schema: ${problem}`);
  const given = document as Pick<Handoff, 'status' | 'summary' | 'nonce'> & Partial<Handoff>;
  const list = (name: (typeof lists)[number]): readonly string[] => given[name] ?? [];
  const { status, summary, nonce } = given;
  return ok({
    status,
    summary,
    remaining: list('remaining'),
    files: list('files'),
    proofs: list('proofs'),
    questions: list('questions'),
    nonce,
  });
}

function misfit(document: unknown): string | null {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return 'not an object';
  const fields = document as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(fields).find((key) => !keys.has(key));
  if (unknown !== undefined) return `unknown key ${JSON.stringify(unknown.slice(0, 80))}`;
  if (!['done', 'partial', 'failed'].includes(fields['status'] as string))
    return 'status must be done, partial or failed';
  if (!isText(fields['summary'], 1, 4000)) return 'summary must have 1 to 4000 characters';
  if (!isText(fields['nonce'], 1, 200)) return 'nonce must be the value of TIDEGATE_NONCE';
  const wrong = lists.find((name) => fields[name] !== undefined && !isList(fields[name]));
  return wrong === undefined ? null : `${wrong} must be a list of at most 200 texts of at most 1000 characters`;
}

const isText = (value: unknown, least: number, most: number): boolean =>
  typeof value === 'string' && value.length >= least && value.length <= most;
const isList = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= 200 && value.every((item) => isText(item, 0, 1000));

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
