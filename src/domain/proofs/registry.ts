import type { RunEvent } from '../ledger/events.ts';
import type { Bundle } from './bundle.ts';

type RegistryEvent = Extract<RunEvent, { readonly type: 'proof-registered' | 'proof-revoked' }>;

/** Applies an event to the registry of proofs. A bundle that is replaced stays in it as superseded. */
export function evolveBundles(bundles: readonly Bundle[], event: RegistryEvent): readonly Bundle[] {
  if (event.type === 'proof-revoked')
    return bundles.map((one) => (one.id === event.bundle ? { ...one, state: 'revoked', reason: event.reason } : one));
  const { type: _, bundle: id, ...registered } = event;
  const before = bundles.map(
    (one): Bundle => (one.id === event.supersedes && one.state === 'active' ? { ...one, state: 'superseded' } : one),
  );
  return [...before, { id, ...registered, state: 'active' }];
}
