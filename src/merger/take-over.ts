import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { writeDurably } from '../adapters/files/durable-file.ts';
import { hasCode, readStateFile } from '../adapters/files/state-file.ts';
import { bootId, identify, isAlive, type ProcessIdentity } from '../adapters/process/process-identity.ts';
import { mergerRefFolders, type StateDir } from '../domain/ledger/state-dir.ts';

/**
 * Becomes the one merger of this repository: an earlier one and its git children are ended first, so that none of them
 * can move a ref from now on; only then are their lock files known to be left over.
 */
export async function takeOver(state: StateDir): Promise<void> {
  const before = readRecord(state.mergerRecord);
  if (before !== null) await endGroup(before);
  writeDurably(state.mergerRecord, JSON.stringify(identify()));
  removeLocks(state.repository);
  removeHalfObjects(state);
}

/**
 * After a request that failed: a git that was killed leaves its lock, and asking again would fail by it. Only where nothing
 * but us is left in our process group is it known that no git of ours holds one.
 */
export function tidyAfterFailure(state: StateDir): void {
  const group = groupMembers(process.pid);
  if (group.length === 1 && group[0] === process.pid) removeLocks(state.repository);
}

const recordSchema = z.strictObject({ pid: z.int().positive(), startTime: z.string(), bootId: z.string() });

const readRecord = (path: string): ProcessIdentity | null =>
  readStateFile(path, (text) => recordSchema.parse(JSON.parse(text)));

/**
 * Ends the process group of a merger. A merger leads its own group, and the system reuses no pid while its group has members: if
 * the leader is gone, the rest of the group is its children; if another process has the pid, the group was empty.
 */
async function endGroup(leader: ProcessIdentity): Promise<void> {
  if (leader.bootId !== bootId() || leader.pid === process.pid) return;
  for (;;) {
    const members = groupMembers(leader.pid);
    const reused = members.some((pid) => pid === leader.pid) && !isAlive(leader);
    if (members.length === 0 || reused) return;
    signalGroup(leader.pid);
    await delay(5);
  }
}

/** Living processes of a group; zombies run nothing. */
function groupMembers(group: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      const stat = readIfThere(`/proc/${name}/stat`);
      const [state, , pgrp] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
      return pgrp === String(group) && state !== 'Z' && state !== 'X';
    })
    .map(Number);
}

function signalGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH')) return null;
    throw error;
  }
}

/** Locks that only a merger takes. Those of attempts belong to supervisors, which may be alive. */
function removeLocks(repository: string): void {
  const locks = [repository, ...mergerRefFolders.map((folder) => join(repository, folder))].flatMap((folder) =>
    namesIn(folder, folder !== repository)
      .filter((name) => name.endsWith('.lock'))
      .map((name) => join(folder, name)),
  );
  for (const lock of locks) rmSync(lock, { force: true });
}

/**
 * Objects that a git began and could not finish, on a full disk or because it was killed. Call it when no earlier merger is
 * alive: then only supervisors, when they take snapshots, can be writing some. Looked for before the processes are: what
 * one that starts later writes is not among them.
 */
function removeHalfObjects(state: StateDir): void {
  const objects = join(state.repository, 'objects');
  const folders = [objects, ...namesIn(objects, false).map((name) => join(objects, name))];
  const halves = folders.flatMap((folder) =>
    namesIn(folder, false)
      .filter((name) => /^(tmp_|\.tmp-)/.test(name))
      .map((name) => join(folder, name)),
  );
  if (halves.length === 0 || isSupervised(state.jobs)) return;
  for (const path of halves) rmSync(path, { recursive: true, force: true });
}

/** True when some process has a job of this repository, or waits for one. */
function isSupervised(jobs: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => argumentsOf(pid).some((argument) => argument === jobs || argument.startsWith(`${jobs}/`)));
}

function argumentsOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function namesIn(folder: string, recursive: boolean): readonly string[] {
  try {
    return readdirSync(folder, { recursive, encoding: 'utf8' });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

const isAbsent = (error: unknown): boolean => hasCode(error, 'ENOENT', 'ENOTDIR', 'ESRCH');
