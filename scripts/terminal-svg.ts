/**
 * Draws a screen with its colour codes, as `tmux capture-pane -e` prints it. Every character gets the position of its own cell, so the
 * picture looks the same whatever font a browser chooses. Lines of boxes are drawn as paths and meet at the borders of their cells.
 */
export function svgOf(
  screen: string,
  size: { readonly columns: number; readonly rows: number },
  title: string,
): string {
  const [width, height] = [round(size.columns * cell.width + 2 * margin), size.rows * cell.height + 2 * margin];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="6" fill="${background}"/>`,
    `<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="${foreground}">`,
    ...screen.split('\n').slice(0, size.rows).flatMap(drawLine),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

export const cell = { width: 8.43, height: 18 };
export const margin = 12;
const [background, foreground] = ['#16181d', '#d6d9e0'];
const colours: Readonly<Record<number, string>> = {
  31: '#f07178',
  32: '#8fce6b',
  33: '#f2c55c',
  34: '#82aaff',
  35: '#c792ea',
  36: '#89ddff',
  90: '#7f848e',
};

type Style = {
  readonly colour: string | null;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly inverse: boolean;
};
const plain: Style = { colour: null, bold: false, dim: false, inverse: false };

function drawLine(line: string, row: number): readonly string[] {
  let style = plain;
  let column = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: codes begin with it
  return [...line.matchAll(/\x1b\[([\d;]*)m|([^\x1b]+)/g)].flatMap(([, codes, text = '']) => {
    if (codes !== undefined) style = codes.split(';').map(Number).reduce(restyle, style);
    const from = column;
    column += [...text].length;
    return drawText(text, from, row, style);
  });
}

function restyle(style: Style, code: number): Style {
  if (code === 0) return plain;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 7) return { ...style, inverse: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 27) return { ...style, inverse: false };
  if (code === 39) return { ...style, colour: null };
  return colours[code] === undefined ? style : { ...style, colour: colours[code] };
}

/** Words, one element each, and lines of boxes. Spaces are not drawn, so none can collapse. */
function drawText(text: string, column: number, row: number, style: Style): readonly string[] {
  const characters = [...text];
  const [x, y] = [leftOf(column), margin + row * cell.height];
  const colour = style.colour ?? foreground;
  const width = round(characters.length * cell.width);
  const box = `<rect x="${x}" y="${y}" width="${width}" height="${cell.height}" fill="${colour}" shape-rendering="crispEdges"/>`;
  const fill = style.inverse ? background : colour;
  const look = `${style.bold ? ' font-weight="bold"' : ''}${style.dim ? ' opacity="0.6"' : ''}`;
  const pieces = [...text.matchAll(/─+|[│┌┐└┘├┤┬┴┼╭╮╰╯]|[^\s─│┌┐└┘├┤┬┴┼╭╮╰╯]+/g)].map(({ 0: piece, index }) => {
    const first = column + [...text.slice(0, index)].length;
    const xs = [...piece].map((_, at) => leftOf(first + at));
    const sides = boxSides[piece[0] ?? ''];
    if (sides === undefined)
      return `<text x="${xs.join(' ')}" y="${y + 14}" fill="${fill}"${look}>${escaped(piece)}</text>`;
    const path = boxPath(sides, leftOf(first), leftOf(first + xs.length), y);
    return `<path d="${path}" stroke="${fill}" fill="none" shape-rendering="crispEdges"${look}/>`;
  });
  return style.inverse ? [box, ...pieces] : pieces;
}

/** The sides of its cell that a character of a box reaches: up, right, down, left. */
const boxSides: Readonly<Record<string, string>> = {
  '─': 'rl',
  '│': 'ud',
  '┌': 'rd',
  '┐': 'dl',
  '└': 'ur',
  '┘': 'ul',
  '├': 'urd',
  '┤': 'udl',
  '┬': 'rdl',
  '┴': 'url',
  '┼': 'urdl',
  '╭': 'rd',
  '╮': 'dl',
  '╰': 'ur',
  '╯': 'ul',
};

/** Lines from the middle of a cell to some of its sides, or one line through several cells. */
function boxPath(sides: string, left: number, right: number, top: number): string {
  const [x, y] = [round((left + right) / 2), top + cell.height / 2];
  if (sides === 'rl') return `M${left} ${y}H${right}`;
  const ends: Readonly<Record<string, string>> = {
    u: `V${top}`,
    d: `V${top + cell.height}`,
    l: `H${left}`,
    r: `H${right}`,
  };
  return [...sides].map((side) => `M${x} ${y}${ends[side]}`).join('');
}

const leftOf = (column: number): number => round(margin + column * cell.width);

const round = (value: number): number => Math.round(value * 100) / 100;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
