import { createHash } from 'node:crypto';
import { canonicalJson } from '../../domain/plan/plan.ts';
import type { Loosening, Resolution } from '../../domain/settings/layers.ts';

/** What a person's confirmation is kept as: it holds for exactly this key and value, in this repository. */
export const looseningHash = ({ key, value }: Loosening): string =>
  createHash('sha256').update(canonicalJson({ key, value })).digest('hex');

export const unconfirmedOf = (resolution: Resolution): readonly (Loosening & { readonly hash: string })[] =>
  resolution.loosenings.map(({ key, value }) => ({ key, value, hash: looseningHash({ key, value }) }));
