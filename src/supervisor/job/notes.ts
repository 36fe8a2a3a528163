import { fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentNote } from '../../domain/agents/agent-note.ts';
import type { KnownSecrets } from '../output/redact.ts';
import { redactTexts } from '../output/redact.ts';

export type Notes = {
  /** Durable when it returns. False: there are too many already. */
  add(note: AgentNote): boolean;
};

const most = 500;

/** `notes.jsonl`: the little that belongs into the ledger while an attempt is under way. No value of `secrets` is in it. */
export function openNotes(directory: string, secrets: KnownSecrets, noted: () => void): Notes {
  let file: number | null = null;
  let number = 0;
  return {
    add(note) {
      if (number >= most) return false;
      file ??= openSync(join(directory, 'notes.jsonl'), 'a', 0o600);
      number += 1;
      writeSync(file, `${JSON.stringify({ number, note: redactTexts(note, secrets()) })}\n`);
      fsyncSync(file);
      noted();
      return true;
    },
  };
}
