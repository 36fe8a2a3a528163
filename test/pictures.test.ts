import { globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { cell, margin, svgOf } from '../scripts/terminal-svg.ts';
import { hasBrowser, pageInBrowser } from './support/browser.ts';

/** A character as the browser draws it, in pixels. */
type Glyph = { readonly character: string; readonly left: number; readonly width: number; readonly row: number };
type Line = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };
type Measured = { readonly glyphs: readonly Glyph[]; readonly lines: readonly Line[] };

const pixel = 0.5;
const pictures = globSync('docs/images/*.svg').sort();

describe.skipIf(!hasBrowser)('in a browser', () => {
  const profile = mkdtempSync(join(tmpdir(), 'browser-'));

  test.each(pictures)('%s has every character in its own cell', async (file) => {
    const { glyphs } = await measured(readFileSync(file, 'utf8'));
    expect(glyphs.length).toBeGreaterThan(40);
    expect(glyphs.filter((glyph) => !isInCell(glyph))).toEqual([]);
  });

  test('spaces at the end of a coloured run, and between words, stretch nothing', async () => {
    const { glyphs } = await measured(svgOf('ab  \x1b[32mcd   \x1b[0me', { columns: 20, rows: 1 }, 'spaces'));
    const columns = glyphs.map(({ character, left }) => [character, Math.round((left - margin) / cell.width)]);
    expect(columns).toEqual([...'abcde'].map((character, at) => [character, [0, 1, 4, 5, 9][at]]));
    expect(glyphs.filter((glyph) => !isInCell(glyph))).toEqual([]);
  });

  test('boxes are closed: lines meet at the borders of their cells', async () => {
    const { lines } = await measured(svgOf('┌──┐\n│  │\n└──┘', { columns: 4, rows: 3 }, 'box'));
    const bounds = (side: keyof Line, choose: (...sides: number[]) => number): number =>
      choose(...lines.map((line) => line[side]));
    const right = margin + 3.5 * cell.width;
    expect(bounds('left', Math.min)).toBeCloseTo(margin + cell.width / 2, 0);
    expect(bounds('right', Math.max)).toBeCloseTo(right, 0);
    const covers = (x: number, y: number): boolean =>
      lines.some(
        ({ left, right, top, bottom }) =>
          left - pixel <= x && x <= right + pixel && top - pixel <= y && y <= bottom + pixel,
      );
    const [top, bottom] = [margin + cell.height / 2, margin + 2.5 * cell.height];
    for (let x = margin + cell.width / 2; x <= right; x += 1)
      expect([x, covers(x, top), covers(x, bottom)]).toEqual([x, true, true]);
    for (let y = top; y <= bottom; y += 1) expect([y, covers(right, y)]).toEqual([y, true]);
  });

  async function measured(svg: string): Promise<Measured> {
    const page = join(profile, `${basename(import.meta.filename)}.html`);
    writeFileSync(
      page,
      `<!doctype html><meta charset="utf-8"><body style="margin:0">${svg}<script>${measure}</script>`,
    );
    const html = await pageInBrowser(profile, pathToFileURL(page).href);
    return JSON.parse(decodeURIComponent(/<title data-measured="([^"]*)"/.exec(html)?.[1] ?? 'null')) as Measured;
  }
});

/** Starts where its column does, and is no wider: nothing is stretched and nothing overlaps. */
function isInCell({ left, width }: Glyph): boolean {
  const column = Math.round((left - margin) / cell.width);
  return Math.abs(left - margin - column * cell.width) < pixel && width > 0 && width <= cell.width + pixel;
}

/** Runs in the page. */
const measure = `
  const glyphs = [...document.querySelectorAll('text')].flatMap((text) =>
    [...Array(text.getNumberOfChars()).keys()].map((at) => {
      const extent = text.getExtentOfChar(at);
      return { character: text.textContent[at], left: extent.x, width: extent.width, row: extent.y };
    }));
  const lines = [...document.querySelectorAll('path')].flatMap((path) =>
    [...path.getAttribute('d').matchAll(/M([\\d.]+) ([\\d.]+)([HV])([\\d.]+)/g)].map(([, x, y, way, to]) => {
      const [left, top, end] = [x, y, to].map(Number);
      return { left: Math.min(left, way === 'H' ? end : left), right: Math.max(left, way === 'H' ? end : left),
        top: Math.min(top, way === 'V' ? end : top), bottom: Math.max(top, way === 'V' ? end : top) };
    }));
  const title = document.createElement('title');
  title.dataset.measured = encodeURIComponent(JSON.stringify({ glyphs, lines }));
  document.head.append(title);
`;
