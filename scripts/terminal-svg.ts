/** A screen with its colour codes, as `tmux capture-pane -e` gives it, as a picture. */
export function svgOf(screen: string, size: { readonly columns: number; readonly rows: number }): string {
  const [width, height] = [size.columns * cell.width + 2 * margin, size.rows * cell.height + 2 * margin];
  const lines = screen.split('\n').slice(0, size.rows).map(lineOf);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    '<title>The terminal UI of Tidegate</title>',
    `<rect width="100%" height="100%" rx="6" fill="${background}"/>`,
    `<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" fill="${foreground}" xml:space="preserve">`,
    ...lines,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

const cell = { width: 8.4, height: 18 };
const margin = 12;
const [background, foreground] = ['#16181d', '#d6d9e0'];
const colours: Readonly<Record<number, string>> = { 31: '#f07178', 32: '#8fce6b', 33: '#f2c55c' };

type Style = {
  readonly colour: string | null;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly inverse: boolean;
};
const plain: Style = { colour: null, bold: false, dim: false, inverse: false };

function lineOf(line: string, row: number): string {
  let style = plain;
  let column = 0;
  const y = margin + row * cell.height;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: codes begin with it
  return [...line.matchAll(/\x1b\[([\d;]*)m|([^\x1b]+)/g)]
    .map(([, codes, text = '']) => {
      if (codes !== undefined) style = codes.split(';').map(Number).reduce(styled, style);
      const from = column;
      column += [...text].length;
      return text === '' ? '' : drawn(text, from, y, style);
    })
    .join('');
}

function styled(style: Style, code: number): Style {
  if (code === 0) return plain;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 7) return { ...style, inverse: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 27) return { ...style, inverse: false };
  if (code === 39) return { ...style, colour: null };
  return colours[code] === undefined ? style : { ...style, colour: colours[code] };
}

function drawn(text: string, column: number, y: number, { colour, bold, dim, inverse }: Style): string {
  const x = margin + column * cell.width;
  const width = [...text].length * cell.width;
  const box = `<rect x="${x}" y="${y}" width="${width}" height="${cell.height}" fill="${colour ?? foreground}"/>`;
  const fill = inverse ? background : (colour ?? foreground);
  const look = `${bold ? ' font-weight="bold"' : ''}${dim ? ' opacity="0.6"' : ''}`;
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const written = `<text x="${x}" y="${y + 14}" textLength="${width}" fill="${fill}"${look}>${escaped}</text>`;
  return text.trim() === '' && !inverse ? '' : `${inverse ? box : ''}${written}`;
}
