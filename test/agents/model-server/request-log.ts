import type { IncomingHttpHeaders } from 'node:http';
import type { Dialect } from './dialect.ts';
import type { Json } from './json.ts';

/** One request as it came. `turn` is null and `side` true for what is no turn of a script. */
export interface ModelRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
  readonly dialect: Dialect['name'] | null;
  readonly script: string | null;
  readonly turn: number | null;
  /** How many requests for the same turn came before. */
  readonly attempt: number;
  readonly side: boolean;
  /** Why the script could not be played for this request. */
  readonly problem: string | null;
}

export interface RequestLog {
  add(request: ModelRequest): void;
  of(script?: string): readonly ModelRequest[];
  ofTurn(script: string | null, turn: number): number;
  waitFor(script: string, fits: (request: ModelRequest) => boolean): Promise<ModelRequest>;
}

export function requestLog(onRequest: (request: ModelRequest) => void = () => {}): RequestLog {
  const requests: ModelRequest[] = [];
  const waiting = new Set<(request: ModelRequest) => void>();
  return {
    add(request) {
      requests.push(request);
      onRequest(request);
      for (const told of [...waiting]) told(request);
    },
    of: (script) => requests.filter((request) => script === undefined || request.script === script),
    ofTurn: (script, turn) =>
      requests.filter((request) => !request.side && request.script === script && request.turn === turn).length,
    waitFor(script, fits) {
      const wanted = (request: ModelRequest) => request.script === script && fits(request);
      const found = requests.find(wanted);
      if (found !== undefined) return Promise.resolve(found);
      return new Promise((resolve) => {
        const told = (request: ModelRequest) => {
          if (!wanted(request)) return;
          waiting.delete(told);
          resolve(request);
        };
        waiting.add(told);
      });
    },
  };
}
