import { pageKeyHeader } from '../../protocol/credentials.ts';

/** A file for browsers, the same for everybody. It fetches all data that it shows. */
export type Page = { readonly type: string; readonly body: string };
export type Pages = ReadonlyMap<string, Page>;

const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tidegate</title>
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
<h1>Tidegate</h1>
<main aria-live="polite"><p>One moment …</p></main>
<footer>Other programs: <code>tidegate token</code>, and the contract at <code>/openapi.json</code>.</footer>
</html>
`;

/**
 * The page key comes once, in the fragment of the address, which browsers send to nobody. It is stored for pages of this port after
 * the server has accepted it: any page can link here with a fragment of its own.
 */
const script = `const storage = 'tidegate-page-key';
const main = document.querySelector('main');
const fetchWith = (key, path) => fetch(path, { headers: { '${pageKeyHeader}': key } });
const newKey = /^#key=([\\w-]{43})$/.exec(location.hash)?.[1];
history.replaceState(null, '', '/');
if (newKey !== undefined && (await fetchWith(newKey, '/v1/server')).ok) localStorage.setItem(storage, newKey);

async function ask(path) {
  const answer = await fetchWith(localStorage.getItem(storage) ?? '', path);
  const content = await answer.json();
  if (answer.status === 401) throw new Error('This browser has no access, or its access has expired. Type: tidegate token --link');
  if (!answer.ok) throw new Error(content.detail);
  return content;
}

function node(tag, ...inside) {
  const element = document.createElement(tag);
  element.append(...inside);
  return element;
}

const table = (heads, rows) =>
  node('table', node('thead', node('tr', ...heads.map((head) => node('th', head)))), node('tbody', ...rows));
const row = (...cells) => node('tr', ...cells.map((cell) => node('td', cell ?? '')));

async function section({ id, checkout, present }) {
  const heading = node('h2', id, ' ', node('small', checkout));
  if (!present) return node('section', heading, node('p', 'Its checkout is gone.'));
  const { items } = await ask('/v1/repositories/' + encodeURIComponent(id) + '/runs?limit=100');
  const rows = items.map(({ run, mode, outcome, target, began }) => row(run, outcome ?? mode, target, began));
  return node('section', heading, rows.length === 0 ? node('p', 'No run yet.') : table(['run', 'state', 'onto', 'began'], rows));
}

try {
  const [{ role }, inbox, { items: repositories }] = await Promise.all(
    ['/v1/server', '/v1/inbox', '/v1/repositories?limit=100'].map(ask),
  );
  const waiting = inbox.items.map(({ run, message, command }) => row(run, message, node('code', command ?? '')));
  const sections = await Promise.all(repositories.map((one) => section(one).catch(({ message }) => node('p', one.id + ': ' + message))));
  main.replaceChildren(
    node('p', 'This browser has the role ', node('b', role), '.'),
    node('section', node('h2', 'Waiting for you'), waiting.length === 0 ? node('p', 'Nothing.') : table(['run', 'what', 'type'], waiting)),
    ...sections,
  );
} catch (error) {
  main.replaceChildren(node('p', error.message));
}
`;

const style = `:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
small, footer { opacity: .7; font-weight: normal; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #8884; }
code { font-family: ui-monospace, monospace; }
footer { margin-top: 3rem; }
`;

/** Shows a browser without access the command to type. It loads and runs nothing. */
export const strangerPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tidegate</title>
<h1>Tidegate</h1>
<p>This browser has no access yet, or its access has expired.</p>
<p>In a terminal on the machine that runs the server, type:</p>
<pre>tidegate token --link</pre>
<p>Then open the link that it prints. A link works once.</p>
</html>
`;

/** Shows a person who has followed a link the open needs and the runs. */
export const frontPage: Pages = new Map([
  ['/', { type: 'text/html', body: html }],
  ['/page.js', { type: 'text/javascript', body: script }],
  ['/page.css', { type: 'text/css', body: style }],
]);
