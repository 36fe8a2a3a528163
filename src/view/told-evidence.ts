import type { Providers } from '../domain/agents/provider.ts';
import { describeTrouble, describeWithFix, explain } from '../domain/explain/explain.ts';
import { checkOutput } from '../domain/explain/hold.ts';
import type { CheckOutcome, Ending, HandoffEvidence } from '../domain/gates/evidence.ts';

/** How something ended, for programs: with its cause in words. */
export const endingDocument = ({ because, ...ending }: Ending) => ({
  ...ending,
  detail: because === undefined ? '' : describeWithFix(because),
});

export const handoffDocument = (handoff: HandoffEvidence) =>
  handoff.kind === 'invalid' ? { kind: handoff.kind, why: explain(handoff.because).detail } : handoff;

export const checkDocument = (check: CheckOutcome) => {
  const { because: _, ...rest } = check;
  return { ...rest, tail: checkOutput(check) };
};

export const providersDocument = (providers: Providers) =>
  Object.fromEntries(
    Object.entries(providers).map(([name, provider]) => {
      if (provider.status !== 'paused') return [name, provider];
      const { kind, until } = provider.trouble;
      return [name, { ...provider, trouble: { kind, until, detail: describeTrouble(provider.trouble) } }];
    }),
  );
