import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';

// What no server can save: GET writes one document as JSON; everything else reads JSON and flushes one row to disk.
const [document = '{}', file = ':memory:'] = process.argv.slice(2);
const shown = JSON.parse(document);
const database = new DatabaseSync(file);
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE event (body TEXT NOT NULL)');
const insert = database.prepare('INSERT INTO event VALUES (?)');

function send(response, value) {
  const text = JSON.stringify(value);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    send(response, shown);
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.once('end', () => {
    insert.run(JSON.stringify(JSON.parse(Buffer.concat(chunks).toString('utf8'))));
    send(response, { success: true });
  });
});
server.listen({ host: '127.0.0.1', port: 0 }, () => process.stdout.write(`${server.address().port}\n`));
