import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { agentKinds } from '../../agents/agents.ts';
import type { Job } from '../../ports/supervisor.ts';
import { knownSecrets } from './redact.ts';

const login = agentKinds['claude']?.login;
const job = { fence: { env: ['OTHER'] }, agent: { credentials: ['ANTHROPIC_API_KEY'], login } } as unknown as Job;

function home() {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-secrets-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, '.claude'));
  const file = join(directory, '.claude/.credentials.json');
  const renew = (accessToken: string): void => writeFileSync(file, JSON.stringify({ accessToken }));
  return { environment: { HOME: directory, OTHER: 'value-0', ANTHROPIC_API_KEY: 'value-0' }, file, renew };
}

test('values of variables are known, and those of every version of the login file, once each', () => {
  const { environment, renew } = home();
  const known = knownSecrets(job, environment);
  expect(known()).toEqual([]);
  renew('token-number-1');
  expect(known()).toEqual(['token-number-1']);
  // at once and of the same size: neither time nor size tells
  for (const token of ['token-number-2', 'token-number-3', 'token-number-1']) {
    renew(token);
    expect(known()).toContain(token);
  }
  expect(known()).toEqual(['token-number-1', 'token-number-2', 'token-number-3']);
  expect(knownSecrets(job, { ...environment, OTHER: 'in-a-variable' })()).toEqual(['in-a-variable', 'token-number-1']);
});

test('a file that is half written is looked at again, and a date of its own making hides no change', () => {
  const { environment, file, renew } = home();
  renew('token-number-1');
  const known = knownSecrets(job, environment);
  writeFileSync(file, '{"accessToken":"token-num');
  expect(known()).toEqual(['token-number-1']);
  renew('token-number-2');
  utimesSync(file, 1, 1);
  expect(known()).toEqual(['token-number-1', 'token-number-2']);
});

test('the same list is given until there is more to know, so that nothing is made anew for each chunk', () => {
  const { environment, renew } = home();
  renew('token-number-1');
  const known = knownSecrets(job, environment);
  const first = known();
  expect(known()).toBe(first);
  renew('token-number-2');
  expect(known()).not.toBe(first);
});
