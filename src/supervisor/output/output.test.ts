import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { displayed, openOutput } from './output.ts';

const caps = { head: 10, tail: 6, shown: 8 };

function logged(chunks: readonly Uint8Array[]) {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-output-'));
  try {
    const output = openOutput(join(directory, 'log'), () => [], caps);
    for (const chunk of chunks) output.write(chunk);
    const shown = output.shown();
    const evidence = output.close();
    return { evidence, shown, content: readFileSync(join(directory, 'log')) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test('head and tail are kept whatever the chunks are, and the evidence is of what is kept', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 8 }), (chunks) => {
      const all = Buffer.concat(chunks);
      const { evidence, content } = logged(chunks);
      const left = all.length - caps.head - caps.tail;
      const expected =
        left <= 0
          ? all
          : Buffer.concat([
              all.subarray(0, caps.head),
              Buffer.from(`\n[tidegate: ${left} bytes left out]\n`),
              all.subarray(-caps.tail),
            ]);
      expect(content.equals(expected)).toBe(true);
      expect(evidence).toMatchObject({ bytes: all.length, kept: content.length });
      expect(evidence.sha256).toBe(createHash('sha256').update(content).digest('hex'));
    }),
  );
});

test('what is shown cannot steer a terminal', () => {
  expect(logged([Buffer.from('\u001b[2Jx\n')]).shown).toBe('\\u001b[2Jx\n');
  expect(displayed(Buffer.from('\u001b[1;31mFAIL\u001b[0m\u001b[K x\n'))).toBe('FAIL x\n');
  expect(logged([Buffer.from([0xff, 0x41, 0x0a])]).shown).toBe('\ufffdA\n');
});

test('a secret with a colour in it is not shown', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-output-'));
  const token = `ghp_${'a1B2'.repeat(9)}`;
  try {
    const output = openOutput(join(directory, 'log'), () => ['a-known-secret']);
    output.write(Buffer.from(`\u001b[01;31m${token.slice(0, 4)}\u001b[0m${token.slice(4)}\n`));
    output.write(Buffer.from('a-kno\u001b[0mwn-secret\n'));
    output.close();
    expect(output.shown()).not.toContain(token);
    expect(output.shown()).not.toContain('a-known-secret');
  } finally {
    rmSync(directory, { recursive: true });
  }
});
