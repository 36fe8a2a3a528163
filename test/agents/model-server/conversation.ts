/** A request as far as a script needs it, whatever its dialect. */
export interface Conversation {
  readonly said: readonly Said[];
  readonly tools: readonly Tool[];
  readonly stream: boolean;
  readonly model: string;
}

export type Said =
  | { readonly from: 'person'; readonly text: string }
  | { readonly from: 'agent'; readonly calls: readonly string[] }
  | { readonly from: 'tool' };

/** `freeform` tools take plain text instead of JSON. */
export interface Tool {
  readonly name: string;
  readonly freeform: boolean;
  readonly fields: readonly string[];
}

/** Where in which script a conversation stands. */
export interface Place {
  readonly script: string | null;
  readonly turn: number;
}

const marker = /\[\[script:([\w.-]+)(?:@(\d+))?\]\]/g;

/** A prompt names its script by this text; `@TURN` lets a conversation that was cut short go on where it was. */
export const markerOf = (script: string, turn = 0): string => `[[script:${script}${turn > 0 ? `@${turn}` : ''}]]`;

/** The last marker that was said counts, and turns are counted from there. */
export function placeOf(said: readonly Said[], otherwise: string | null): Place {
  let script = otherwise;
  let turn = 0;
  let inAnswer = false;
  for (const item of said) {
    if (item.from === 'person') {
      const [, named, from] = [...item.text.matchAll(marker)].at(-1) ?? [];
      if (named !== undefined) {
        script = named;
        turn = Number(from ?? 0);
      }
    }
    if (item.from === 'agent') {
      // Agents may reorder or split an answer when they tell it back; the ids of its calls still say whose they are.
      const told = item.calls.map(turnOfCall).filter((value) => value !== null);
      if (told.length > 0) turn = Math.max(...told) + 1;
      else if (!inAnswer) turn += 1;
    }
    inAnswer = item.from === 'agent';
  }
  return { script, turn };
}

/** Words by which agents ask for a summary of a conversation that grew too long, with all their tools still offered. */
const compaction = /Respond with TEXT ONLY|CONTEXT CHECKPOINT COMPACTION/;

/** Titles, summaries and classifiers are no turn of a script. */
export function isAside({ said, tools }: Conversation): boolean {
  const last = said.findLast((item) => item.from === 'person');
  return tools.length === 0 || (last !== undefined && compaction.test(last.text));
}

export const callId = (turn: number, index: number): string => `call_t${turn}_${index}`;

function turnOfCall(id: string): number | null {
  const found = /^call_t(\d+)_\d+/.exec(id);
  return found === null ? null : Number(found[1]);
}
