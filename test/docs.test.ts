import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const pages = [...globSync('*.md'), ...globSync('{docs,bench,demo,test}/**/*.md')].filter(
  (path) => !path.includes('node_modules') && !path.startsWith('docs/adr/'),
);

test('the README can be read in one go', () => {
  const text = readFileSync('README.md', 'utf8');
  expect(text.split('\n').length - 1).toBeLessThanOrEqual(120);
  expect(linksIn(text).filter((link) => !link.endsWith('.svg')).length).toBeLessThanOrEqual(12);
  for (const commands of ['npm ci && npm run demo', 'npm ci && npm test', 'npm install -g tidegate'])
    expect(text).toContain(`\n${commands}`);
});

test('every link of a page leads to a file, and to a heading that is there', () => {
  const broken = pages.flatMap((page) =>
    linksIn(readFileSync(page, 'utf8'))
      .filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(page, link))
      .map((link) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test('every picture is shown somewhere', () => {
  const shown = pages.flatMap((page) => linksIn(readFileSync(page, 'utf8')).map((link) => join(dirname(page), link)));
  expect(globSync('docs/images/*').filter((file) => !shown.includes(file))).toEqual([]);
});

function linksIn(markdown: string): readonly string[] {
  const prose = markdown.replaceAll(/^```.*?^```/gms, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? '');
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  if (!existsSync(file)) return false;
  return anchor === undefined || !file.endsWith('.md') || anchorsIn(readFileSync(file, 'utf8')).includes(anchor);
}

/** The anchors of headings, as public hosts make them. */
const anchorsIn = (markdown: string): readonly string[] =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
