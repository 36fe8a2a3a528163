import { defineNamed } from '../define-runner.ts';
import { type Call, join, placeFrom, type Reading } from '../reading.ts';
import { operands } from './interpreters.ts';

/** `docker` and `podman`: what runs in a container is written in files that are not read further. */
export function readDocker(reading: Reading, call: Call): void {
  const { program, directory } = call;
  const [verb = '', ...rest] = operands(call.args, [
    '--context',
    '-c',
    '-H',
    '--host',
    '--config',
    '-l',
    '--log-level',
  ]);
  if (verb === 'compose') readCompose(reading, { ...call, args: rest });
  else if (verb === 'build' || verb === 'buildx') defineImage(reading, rest, directory);
  else if (starts.has(verb)) reading.unread(`${program} ${verb}`);
}

export function readCompose(reading: Reading, { args, directory }: Call): void {
  for (const file of composeFiles) reading.define(join(directory, file));
  defineNamed(reading, ['-f', '--file', '--env-file'], args, directory);
  const [verb = ''] = operands(args, ['-f', '--file', '-p', '--project-name', '--profile', '--env-file']);
  if (starts.has(verb)) reading.unread('docker compose');
}

const starts = new Set(['run', 'exec', 'create', 'start', 'up', 'build', 'watch', 'restart']);
const composeFiles = ['compose*.yml', 'compose*.yaml', 'docker-compose*.yml', 'docker-compose*.yaml', '.env'];

function defineImage(reading: Reading, args: readonly string[], directory: string): void {
  const place = placeFrom(directory, args.at(-1) ?? '.') ?? directory;
  for (const file of ['Dockerfile', 'Containerfile', '.dockerignore']) reading.define(join(place, file));
  defineNamed(reading, ['-f', '--file'], args, directory);
}
