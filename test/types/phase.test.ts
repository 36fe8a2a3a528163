import { describe, expect, test } from 'vitest';
import { planHash } from '../../src/domain/base/ids.ts';
import { inconclusive, pass } from '../../src/domain/gates/make-verdict.ts';
import { advance, beginProof, type Passed, phases } from '../../src/domain/gates/phase.ts';

/** Each `@ts-expect-error` is a claim that `npm run check` proves: if the line compiled, the check would fail. */

const hash = planHash('0'.repeat(64));
const yes = [pass('round')];

function chain() {
  const contract = beginProof(hash, yes);
  const load = advance('load', contract, 'run', yes);
  const thread = advance('thread', load, 'wave 0', yes);
  const preflight = advance('preflight', thread, 'wave 0', yes);
  const ownership = advance('ownership', preflight, 'wave 0', yes);
  const approval = advance('approval', ownership, 'wave 0', yes);
  const dispatch = advance('dispatch', approval, 'a', yes);
  const monitor = advance('monitor', dispatch, 'a', yes);
  const closure = advance('closure', monitor && [monitor], 'round 1', yes);
  const merge = advance('merge', closure, 'round 1', yes);
  return { contract, load, thread, preflight, ownership, approval, dispatch, monitor, closure, merge };
}

describe('skipping a phase does not compile', () => {
  test('for any of the nine that need another', () => {
    const proofs = chain();
    const skips = () => [
      // @ts-expect-error load needs the contract, and nothing else will do
      advance('load', proofs.thread, 'run', yes),
      // @ts-expect-error thread needs load
      advance('thread', proofs.contract, 'wave 0', yes),
      // @ts-expect-error preflight needs thread
      advance('preflight', proofs.load, 'wave 0', yes),
      // @ts-expect-error ownership needs preflight
      advance('ownership', proofs.thread, 'wave 0', yes),
      // @ts-expect-error approval needs ownership
      advance('approval', proofs.preflight, 'wave 0', yes),
      // @ts-expect-error dispatch needs approval
      advance('dispatch', proofs.ownership, 'a', yes),
      // @ts-expect-error monitor needs dispatch
      advance('monitor', proofs.approval, 'a', yes),
      // @ts-expect-error closure needs monitor of its tasks
      advance('closure', proofs.dispatch && [proofs.dispatch], 'round 1', yes),
      // @ts-expect-error merge needs closure
      advance('merge', proofs.monitor, 'round 1', yes),
    ];
    expect(skips).toBeTypeOf('function');
  });

  test('nor does closing a round of no task', () => {
    // @ts-expect-error at least one task
    expect(() => advance('closure', [], 'round 1', yes)).toThrow(TypeError);
  });

  test('nor does beginning in the middle', () => {
    // @ts-expect-error the contract is begun with, not advanced to
    const skip = () => advance('contract', null, 'run', yes);
    expect(skip).toBeTypeOf('function');
  });

  test('nor does a proof made by hand', () => {
    // @ts-expect-error the symbol that marks a proof is not exported
    const forged: Passed<'closure'> = { hash, subject: 'round 1' };
    // @ts-expect-error a string is not that symbol
    const painted: Passed<'closure'> = { hash, subject: 'round 1', phaseOf: 'closure' };
    expect([forged, painted]).toHaveLength(2);
  });

  test('nor does one that went through JSON', () => {
    const { closure } = chain();
    const kept: { hash: typeof hash; subject: string } = JSON.parse(JSON.stringify(closure));
    expect(kept).toEqual({ hash, subject: 'round 1' });
    // @ts-expect-error it must be rebuilt from the ledger
    const skip = () => advance('merge', kept, 'round 1', yes);
    expect(skip).toBeTypeOf('function');
  });
});

describe('a phase passes', () => {
  test('when the one before has passed and every verdict is a pass', () => {
    const proofs = chain();
    expect(Object.keys(proofs)).toEqual(phases.map(({ phase }) => phase));
    expect(Object.values(proofs).every((proof) => proof?.hash === hash)).toBe(true);
  });

  test('never without a verdict', () => {
    expect(beginProof(hash, [])).toBeNull();
    expect(advance('load', beginProof(hash, yes), 'run', [])).toBeNull();
  });

  test('never with one that is not a pass', () => {
    const held = [...yes, inconclusive('check', { rule: 'round-has-tasks' })];
    expect(advance('load', beginProof(hash, yes), 'run', held)).toBeNull();
  });

  test('never without the proof before it', () => {
    expect(advance('merge', null, 'round 1', yes)).toBeNull();
  });

  test('never on proofs of two plans', () => {
    const other = { ...chain().monitor, hash: planHash('1'.repeat(64)) } as Passed<'monitor'>;
    const { monitor } = chain();
    if (monitor === null) throw new Error('the chain passes');
    expect(advance('closure', [monitor, other], 'round 1', yes)).toBeNull();
  });
});
