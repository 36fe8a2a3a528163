/**
 * A shape says as data which values a key takes. The parser, the published JSON Schema and the TypeScript types all follow from it.
 * `T` is the type of the values; no object has the field `type`.
 */
export type Shape<T = unknown> = ShapeData & { readonly about?: string; readonly type?: T };

type ShapeData =
  | TextData
  | { readonly is: 'whole-number'; readonly min: number; readonly max?: number }
  | { readonly is: 'positive-number' | 'boolean' | 'null' }
  | { readonly is: 'word'; readonly words: readonly string[] }
  | { readonly is: 'list'; readonly of: Shape; readonly min: number }
  | { readonly is: 'map'; readonly keys: TextData; readonly values: Shape }
  | { readonly is: 'fields'; readonly required: ShapeFields; readonly optional: ShapeFields }
  | { readonly is: 'nullable'; readonly of: Shape }
  | { readonly is: 'either'; readonly of: readonly Shape[] };

type TextRules = { readonly matches?: RegExp; readonly min?: number; readonly max?: number };
export type TextData = { readonly is: 'text' } & TextRules;

export type ShapeFields = Readonly<Record<string, Shape>>;
export type ValueOf<S> = S extends Shape<infer T> ? T : never;
/** A mapping of which every field may be absent. */
export type OptionalFields<F> = { readonly [K in keyof F]?: ValueOf<F[K]> | undefined };

export const text = (rules: TextRules, about?: string): TextData & Shape<string> => ({
  is: 'text',
  ...rules,
  ...(about === undefined ? {} : { about }),
});
export const whole = (min: number, max?: number): Shape<number> =>
  max === undefined ? { is: 'whole-number', min } : { is: 'whole-number', min, max };
export const positive: Shape<number> = { is: 'positive-number' };
export const flag: Shape<boolean> = { is: 'boolean' };
export const none: Shape<null> = { is: 'null' };
export const oneOf = <const W extends readonly string[]>(...words: W): Shape<W[number]> => ({ is: 'word', words });
export const list = <T>(of: Shape<T>, min = 0): Shape<readonly T[]> => ({ is: 'list', of, min });
export const map = <T>(keys: TextData, values: Shape<T>): Shape<Readonly<Record<string, T>>> => ({
  is: 'map',
  keys,
  values,
});
export const fields = <R extends ShapeFields, O extends ShapeFields>(
  required: R,
  optional: O,
): Shape<{ readonly [K in keyof R]: ValueOf<R[K]> } & OptionalFields<O>> => ({ is: 'fields', required, optional });
export const nullable = <T>(of: Shape<T>): Shape<T | null> => ({ is: 'nullable', of });
export const either = <S extends readonly Shape[]>(...of: S): Shape<ValueOf<S[number]>> => ({ is: 'either', of });
export const described = <T>(shape: Shape<T>, about: string): Shape<T> => ({ ...shape, about });

export const saysSomething = /\S/;
export const words = text({ matches: saysSomething });
export const pathPattern = text(
  { min: 1, max: 256 },
  'Path with * and ?, ** for any folders, trailing / for everything below.',
);
export const pathPatterns = list(pathPattern);
export const argv = { ...list(text({}), 1), about: 'Program and arguments. No shell is involved.' };
export const agentName = text({ matches: /^[a-z][a-z0-9-]{0,31}$/ });

/** `90s`, `30m`, `24h`, `7d`. */
export const durationPattern = /^[1-9][0-9]{0,4}[smhd]$/;

export function durationSeconds(duration: string): number {
  const unit = { s: 1, m: 60, h: 3600, d: 86_400 }[duration.slice(-1)];
  if (unit === undefined || !durationPattern.test(duration)) throw new Error(`Not a duration: ${duration}`);
  return Number(duration.slice(0, -1)) * unit;
}
