import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { explain } from '../../src/domain/explain/explain.ts';
import type { Job } from '../../src/ports/supervisor.ts';
import { follow, supervisedScene } from '../support/supervised.ts';

/** A web server on the loopback of the host. */
async function web(answer: RequestListener = (_asked, response) => void response.end('reached\n')) {
  const heard: string[] = [];
  const server = createServer((asked, response) => {
    heard.push(`${asked.method} ${asked.url} ${asked.headers['user-agent']?.split('/')[0] ?? ''}`);
    answer(asked, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const listed = (...network: string[]): Pick<Job, 'fence'> => ({
  fence: { mode: 'auto', network, read: [], write: [], env: [] },
});
const script = (...lines: string[]) => ({
  argv: ['/bin/sh', '-c', [...lines, 'tidegate handoff done -m done >/dev/null'].join('\n')],
});
const linesOf = (output: string): readonly string[] => output.split('\n').filter((line) => line !== '');
const curl = (args: string): string =>
  `curl -s -S -m 10 -o /dev/null -w '%{http_code} %{http_connect}\\n' ${args} 2>&1`;
const node = (code: string): string => `/run/tidegate/node -e "${code}"`;

describe('a fence with a list of hosts', () => {
  test('leads programs to what is listed, by the variables that they know', async () => {
    await using server = await web();
    await using scene = await supervisedScene();
    const url = `http://127.0.0.1:${server.port}`;
    const exit = await scene.run({
      ...listed(`127.0.0.1:${server.port}`),
      ...script(
        curl(`${url}/plain`),
        curl(`--proxytunnel ${url}/tunnel`),
        curl(`-d body ${url}/posted`),
        node(`fetch('${url}/fetched').then(async (r) => console.log(r.status, await r.text()))`),
        `git ls-remote ${url}/repo.git 2>&1 | grep -c 'not valid'`,
      ),
    });
    expect(linesOf(exit.output)).toEqual(['200 000', '200 200', '200 000', '200 reached', '1']);
    expect(exit.ending).toMatchObject({ reason: 'exited', code: 0 });
    expect(server.heard).toEqual([
      'GET /plain curl',
      'GET /tunnel curl',
      'POST /posted curl',
      'GET /fetched node',
      'GET /repo.git/info/refs?service=git-upload-pack git',
    ]);
  });

  test('leads nowhere else, and notes what was tried', async () => {
    await using server = await web();
    await using other = await web();
    await using scene = await supervisedScene();
    const unlisted = `127.0.0.1:${other.port}`;
    const direct = (target: string) =>
      node(`require('net').connect(${target}).on('connect',()=>console.log('out')).on('error',()=>console.log('no'))`);
    const raw = (head: string): string =>
      node(
        `const s=require('net').connect(61080,'127.0.0.1',()=>s.write(${head}));s.on('data',(d)=>{console.log(String(d).split('\\r')[0]);s.end()})`,
      );
    const supervisors = scene.coordinator();
    const job = scene.job({
      ...listed(`127.0.0.1:${server.port}`, `localhost:${other.port}`, '*.example.org'),
      ...script(
        curl(`http://${unlisted}/`),
        curl(`--proxytunnel http://${unlisted}/`),
        // Another spelling of what is listed is the same; of what is not, neither.
        curl(`--proxytunnel http://2130706433:${server.port}/`),
        curl(`--proxytunnel http://0x7f.1:${other.port}/`),
        // A name of the list that leads to this machine: whoever answers for names does not decide.
        curl(`--proxytunnel http://localhost:${other.port}/rebound`),
        curl('--proxytunnel http://169.254.169.254/latest/meta-data/'),
        curl('http://example.org/'),
        curl('--proxytunnel https://evil.net/'),
        raw(`'CONNECT a@127.0.0.1:${server.port} HTTP/1.1\\r\\n\\r\\n'`),
        raw(`'CONNECT x.example.org%00.evil.net:443 HTTP/1.1\\r\\n\\r\\n'`),
        raw(`'GET /not-a-proxy-request HTTP/1.1\\r\\nHost: 127.0.0.1:${server.port}\\r\\n\\r\\n'`),
        raw(`'GET http://u:p@127.0.0.1:${server.port}/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'`),
        direct(`${server.port},'127.0.0.1'`),
        direct(`443,'1.1.1.1'`),
        'cat /proc/net/dev | grep -c :',
        `curl -s http://${unlisted}/`,
      ),
    });
    const { started, ended } = follow(supervisors, job);
    expect((await started).record.fence).toMatchObject({ canary: 'held', network: job.fence.network });
    const { record } = await ended;
    await supervisors.acknowledge(job.id);

    expect(record.ending).toMatchObject({ reason: 'exited', code: 0 });
    const said = linesOf(readFileSync(join(scene.jobs, record.log.file), 'utf8')).map((line) =>
      line.replace(/^curl: .*/, '').replaceAll(/\b\d{5}\b/g, 'PORT'),
    );
    expect(said.filter((line) => line !== '')).toEqual([
      ...['403 000', '000 403', '200 200', '000 403', '000 403', '000 403', '403 000', '000 403'],
      ...['HTTP/1.1 403 Forbidden', 'HTTP/1.1 403 Forbidden', 'HTTP/1.1 403 Forbidden', 'HTTP/1.1 403 Forbidden'],
      ...['no', 'no', '1'],
      'tidegate: 127.0.0.1:PORT is not in fence.network',
    ]);
    expect(other.heard).toEqual([]);
    expect(server.heard).toEqual(['GET / curl']);
    const notes = linesOf(readFileSync(join(scene.files(job).path, 'notes.jsonl'), 'utf8')).map((line) =>
      JSON.parse(line),
    );
    expect(notes.map(({ note }) => note.because.rule)).toEqual(notes.map(() => 'network'));
    expect(notes.map(({ note }) => explain(note.because).detail)).toContain(
      `localhost resolves to ${readFileSync('/etc/hosts', 'utf8').includes('::1') ? '::1, 127.0.0.1' : '127.0.0.1'}, which is not a public address; to allow it, list the address itself`,
    );
    expect(notes.map(({ note }) => explain(note.because).detail)).toContain('evil.net:443 is not in fence.network');
  });

  test('goes through the proxy of the person, whose password stays outside', async () => {
    const asked: string[] = [];
    const tunnels = new Set<Socket>();
    const proxy = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`);
      response.end('by proxy\n');
    });
    proxy.on('connect', (request, socket: Socket) => {
      asked.push(`CONNECT ${request.url} ${request.headers['proxy-authorization']}`);
      tunnels.add(socket);
      socket.end('HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 3\r\nconnection: close\r\n\r\nhi\n');
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const { port } = proxy.address() as AddressInfo;
    await using scene = await supervisedScene();
    const url = `http://ann:s3cret-word@127.0.0.1:${port}`;
    const exit = await scene.run(
      {
        ...listed('far.example.org'),
        ...script('curl -s http://far.example.org/x', 'curl -s --proxytunnel http://far.example.org:80/y', 'env'),
      },
      { HTTPS_PROXY: url, http_proxy: url },
    );
    proxy.close();
    const word = `Basic ${Buffer.from('ann:s3cret-word').toString('base64')}`;
    expect(linesOf(exit.output).slice(0, 2)).toEqual(['by proxy', 'hi']);
    expect(asked).toEqual([`GET http://far.example.org/x ${word}`, `CONNECT far.example.org:80 ${word}`]);
    expect(exit.output).not.toContain('s3cret-word');
  });

  test('holds no more than sockets do: a reader that stops does not fill memory, nor stop the others', async () => {
    let sent = 0;
    await using server = await web((asked, response) => {
      if (asked.url !== '/endless') return void response.end('reached\n');
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536;
        response.once('drain', more);
      };
      more();
    });
    await using scene = await supervisedScene();
    const url = `http://127.0.0.1:${server.port}`;
    const exit = await scene.run({
      ...listed(`127.0.0.1:${server.port}`),
      ...script(
        node(
          `const http=require('http');const ask=(p,f)=>http.get('${url}'+p,f);` +
            `ask('/endless',(r)=>{r.pause();let left=50;const one=()=>ask('/small',(s)=>{s.resume();s.on('end',()=>{if(--left===0){console.log('all');process.exit(0)}one()})});one()})`,
        ),
      ),
    });
    expect(linesOf(exit.output)).toEqual(['all']);
    expect(sent).toBeLessThan(32 << 20);
  });

  test('ends with its agent, also when a connection hangs', async () => {
    const silent = createTcpServer(() => undefined);
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    await using scene = await supervisedScene();
    const exit = await scene.run({
      ...listed(`127.0.0.1:${port}`),
      ...script(`curl -s -m 60 http://127.0.0.1:${port}/ & sleep 0.3; echo over`),
    });
    silent.close();
    expect(exit.ending).toMatchObject({ reason: 'exited', code: 0 });
    expect(linesOf(exit.output)).toEqual(['over']);
  });
});
