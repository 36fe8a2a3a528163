import fc from 'fast-check';
import { expect, test } from 'vitest';
import { created, firstAttempt, idOf, me, plan, stateAfter } from '../../../test/support/plans.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { type Directive, plannedById } from '../../domain/plan/plan.ts';
import { policy } from '../../domain/settings/policy.ts';
import { buildPrompt, type PromptSubject, promptCharacters } from './prompt.ts';

const words = (most: number) => fc.string({ unit: 'grapheme', maxLength: most });
const patterns = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8}){0,3}\/(\*\*)?$/), { maxLength: 40 });

const said = (text: string): Finding => ({ rule: 'handoff-status', status: 'partial', words: [text] });

/** Plans and attempts with more to tell than fits, and such with less. */
const anyTold: fc.Arbitrary<PromptSubject> = fc
  .record({
    text: fc.oneof(
      words(200),
      fc.nat(50_000).map((length) => 'x'.repeat(length)),
    ),
    owns: fc.option(patterns),
    forbid: fc.array(words(300), { maxLength: 60 }),
    findings: fc.array(words(2_000), { maxLength: 60 }),
    files: fc.array(fc.record({ path: words(300), bytes: fc.nat() }), { maxLength: 60 }),
    more: fc.nat(1_000),
    after: fc.constantFrom('rejected', 'spiral', 'strayed', 'ran-out', 'interrupted', null),
    checks: fc.array(words(500), { maxLength: 40 }),
    focus: words(500),
    skills: fc.array(fc.record({ name: words(9), path: words(100), description: words(500) }), { maxLength: 40 }),
  })
  .map(({ text, owns, forbid, findings, files, more, after, checks, focus, skills }) => {
    const directive: Directive = { file: null, text, clauses: ['merge-gate', 'forbid'] };
    const frozen = plan([{ a: { owns, skills, directive } }], {
      forbid,
      focus,
      checks: checks.map((run, index) => ({ name: `c${index}`, run, minutes: 1 })),
    });
    const task = plannedById(frozen, idOf('a'));
    if (task === undefined) throw new Error('no task');
    const attempt = { ...firstAttempt('a'), findings: findings.map(said), after };
    const found = { total: files.length + more, files, changed: new Set<string>() };
    return { state: stateAfter(created(frozen)), task, attempt, files: found };
  });

/** Its sections by their titles; the directive and quoted text are of one line here, so that they have none. */
const sectionsOf = (prompt: string): ReadonlyMap<string, string> =>
  new Map(prompt.split('\n\n## ').map((part) => [part.split('\n')[0] ?? '', part]));

test('whatever there is to tell, scope, limits, merge gate and the way to hand off are there whole', () => {
  fc.assert(
    fc.property(anyTold, fc.integer({ min: 0, max: 60_000 }), (told, characters) => {
      const [whole, cut] = [sectionsOf(buildPrompt(told, Number.MAX_SAFE_INTEGER)), buildPrompt(told, characters)];
      expect(cut.startsWith(`# Task a\n\n${told.task.directive.text.trim()}`)).toBe(true);
      for (const title of ['Your scope', 'Limits', 'When you finish'])
        expect(cut).toContain(`## ${(whole.get(title) ?? 'missing').trimEnd()}`);
      expect(cut).toContain('Never commit to, merge into, rebase, push');
      expect(cut).toContain(told.attempt.nonce);
    }),
  );
});

test('a prompt is longer than its budget only when nothing is left that may be cut', () => {
  fc.assert(
    fc.property(anyTold, fc.integer({ min: 0, max: 60_000 }), (told, characters) => {
      const [cut, least] = [buildPrompt(told, characters), buildPrompt(told, 0)];
      expect(cut.length).toBeLessThanOrEqual(Math.max(characters, least.length));
    }),
  );
});

test('what fits is not cut', () => {
  fc.assert(
    fc.property(anyTold, (told) => {
      const whole = buildPrompt(told, Number.MAX_SAFE_INTEGER);
      expect(buildPrompt(told, whole.length)).toBe(whole);
    }),
  );
});

test('an inbox has at most 8,000 characters and the summary of a wave 4,000, and each says how much is left out', () => {
  const posted = (at: number): RunEvent => {
    const to = idOf(at % 2 === 0 ? 'a' : 'b');
    const severity = at > 100 ? 'critical' : 'normal';
    const post = { kind: 'request', target: to, text: 'words '.repeat(500), severity } as const;
    return { type: 'record-posted', ...post, place: { id: String(at), to, status: 'open' }, by: me };
  };
  const frozen = plan([{ a: {}, b: {} }]);
  const state = stateAfter(created(frozen), ...Array.from({ length: 120 }, (_, at) => posted(at + 1)));
  const task = plannedById(frozen, idOf('a'));
  if (task === undefined) throw new Error('no task');
  const text = buildPrompt({
    state,
    task,
    attempt: firstAttempt('a'),
    files: { total: 0, files: [], changed: new Set() },
  });
  const sections = sectionsOf(text);
  const [inbox = '', wave = ''] = ['Your inbox', 'The board of this wave'].map((title) => sections.get(title));
  expect([policy.inboxCharacters, policy.summaryCharacters]).toEqual([8_000, 4_000]);
  expect([inbox.length <= 8_000, inbox.length > 6_000, wave.length <= 4_000, wave.length > 3_500]).not.toContain(false);
  expect(inbox).toMatch(/\n\(53 more left out, 3 of them critical\)\n>>> end of data \w+$/);
  expect(wave).toMatch(/\n\(\d+ more left out\)\n>>> end of data \w+$/);
});

test('files are cut first, then the role, then findings from the oldest on, then skills, then checks', () => {
  const skills = [{ name: 'api', path: '.claude/skills/api/SKILL.md', description: 'the API' }];
  const frozen = plan([{ a: { skills } }], { checks: [{ name: 'test', run: 'npm test', minutes: 1 }] });
  const [task] = frozen.waves[0]?.tasks ?? [];
  if (task === undefined) throw new Error('no task');
  const paths = ['one', 'two'].map((name) => ({ path: `a/${name.repeat(20)}`, bytes: 1 }));
  const attempt = { ...firstAttempt('a'), after: 'rejected', findings: ['old'.repeat(50), 'new'].map(said) } as const;
  const files = { total: 2, files: paths, changed: new Set<string>() };
  const told: PromptSubject = { state: stateAfter(created(frozen)), task, attempt, files };
  const size = buildPrompt(told).length;
  const seen = new Set<string>();
  for (let characters = size; characters > 0; characters -= 5) {
    const text = buildPrompt(told, characters);
    const marks = {
      two: 'twotwo',
      one: 'oneone',
      role: '## Your role',
      old: 'oldold',
      new: 'partial: new',
      skill: 'skills/api/SKILL.md`: the API',
      test: '`npm test`',
    };
    seen.add(
      Object.entries(marks)
        .filter(([, mark]) => text.includes(mark))
        .map(([name]) => name)
        .join(' '),
    );
  }
  expect([...seen]).toEqual([
    'two one role old new skill test',
    'one role old new skill test',
    'role old new skill test',
    'old new skill test',
    'new skill test',
    'skill test',
    'test',
    '',
  ]);
});

test('the budget is about 8,000 tokens', () => {
  expect(promptCharacters).toBe(32_000);
});
