import { describe, expect, test } from 'vitest';
import { agentBench } from './conformance/bench.ts';
import { drivers } from './conformance/drivers.ts';
import { bash, calling, done, handOff, write } from './conformance/scenes.ts';
import { installed } from './support/installed.ts';

/**
 * One agent of each executor. The model server is on this machine's loopback, so it has to be listed by its address; an agent
 * that talks to itself on loopback (opencode-acp) cannot be shown so: a listed address is the host's, whoever asks.
 */
const shown = drivers.filter(({ name }) => ['claude', 'codex', 'opencode', 'gemini'].includes(name));

describe.each(shown)('$name behind a list of hosts', (driver) => {
  const isMissing = Object.keys(driver.programs).some((name) => installed(name).program === null);

  test.skipIf(isMissing)('reaches its model through the relay, and nothing else', async () => {
    await using bench = await agentBench(driver);
    const { host } = new URL(bench.server.urlOf('any'));
    const direct = `${'/run/tidegate/node'} -e "require('net').connect(${host.split(':')[1]},'127.0.0.1').on('connect',()=>console.log('got'+'out')).on('error',()=>console.log('no'+'way'))"`;
    const script = {
      turns: [
        calling(write('src/new.txt', 'new\n')),
        calling(
          bash(
            `${direct}; curl -s https://unlisted.example.org; echo curl=$?; curl -s -o /dev/null -w 'listed=%{http_code}' http://${host}/`,
          ),
        ),
        calling(handOff),
        done,
      ],
    };
    const fence = { mode: 'auto', network: [host], read: [], write: [], env: [] } as const;
    const { exit, changed, notes, started, told } = await bench.run(script, { job: { fence } });

    expect(exit.ending).toMatchObject({ reason: 'exited', code: 0 });
    expect(exit.agent).toMatchObject({ outcome: 'completed', trouble: null });
    expect(changed).toEqual(['added src/new.txt']);
    expect(started?.fence).toMatchObject({ canary: 'held', network: [host] });
    expect(told(2)).toContain('noway');
    expect(told(2)).toContain('curl=56');
    expect(told(2)).toMatch(/listed=\d{3}/);
    expect(told(2)).not.toContain('listed=403');
    expect(notes).toContainEqual({
      note: 'denied',
      tool: 'network',
      because: { rule: 'network', fault: 'not-listed', target: 'unlisted.example.org:443' },
    });
  });
});
