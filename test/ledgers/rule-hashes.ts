import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { decisionVersions, type Gate, gateVersions, phaseVersions } from '../../src/domain/gates/versions.ts';

type Root = readonly [file: string, name: string];
const start = 'src/domain/gates/start-gates.ts';
const work = 'src/domain/gates/work-gates.ts';
const merge = 'src/domain/gates/start-gates.ts';

/** Where the rules of each gate begin. */
const gates: Readonly<Record<Gate, Root>> = {
  contract: [start, 'judgeContract'],
  load: [start, 'judgeLoad'],
  repository: [start, 'judgeLoad'],
  thread: [start, 'judgeThread'],
  directives: [start, 'judgePreflight'],
  ownership: ['src/domain/scope/ownership.ts', 'ownershipConflicts'],
  approval: [work, 'judgeApproval'],
  workspace: [work, 'judgeDispatch'],
  fence: [work, 'judgeDispatch'],
  task: [work, 'judgeUnplanned'],
  exit: [work, 'judgeExit'],
  handoff: [work, 'judgeHandoff'],
  report: [work, 'judgeRoleEnd'],
  snapshot: [work, 'judgeSnapshot'],
  secrets: [work, 'judgeSnapshot'],
  scope: [work, 'judgeScope'],
  sides: [work, 'judgeSides'],
  files: [work, 'judgeCount'],
  changes: [work, 'judgeEmpty'],
  deliverables: [work, 'judgeDeliverables'],
  'exit-contract': ['src/domain/gates/exit-gates.ts', 'claimFindings'],
  evidence: ['src/domain/gates/exit-gates.ts', 'judgeEvidence'],
  plan: [work, 'judgeDraft'],
  round: [merge, 'judgeClosure'],
  check: [merge, 'judgeCheck'],
  role: [merge, 'judgeRole'],
  'run-branch': [merge, 'judgeMerge'],
  proof: [merge, 'judgeMerge'],
  bundle: [merge, 'judgeBundle'],
  component: [merge, 'judgeComponent'],
};

const decisions: Readonly<Record<keyof typeof decisionVersions, Root>> = {
  kept: ['src/domain/kept/discard.ts', 'keptPaths'],
  settlement: ['src/domain/run/settle-attempt.ts', 'settle'],
  session: ['src/dcm/decide.ts', 'decideDcm'],
};

/** What puts the gates of a phase together; by itself, because what it calls has versions of its own. */
const phases: Readonly<Record<keyof typeof phaseVersions, Root>> = {
  contract: [start, 'judgeContract'],
  load: [start, 'judgeLoad'],
  thread: [start, 'judgeThread'],
  preflight: [start, 'judgePreflight'],
  ownership: ['src/domain/gates/judge.ts', 'judge'],
  approval: [work, 'judgeApproval'],
  dispatch: [work, 'judgeDispatch'],
  monitor: [work, 'judgeMonitor'],
  closure: [merge, 'judgeClosure'],
  merge: [merge, 'judgeMerge'],
};

export type RuleHash = { readonly version: number; readonly hash: string };

/** Every gate, decision and phase with its version and the hash of its rules: of all code that they reach, as it runs. */
export function ruleHashes(): Readonly<Record<string, RuleHash>> {
  const stop = new Set(Object.values(gates).map(String));
  const named = <T extends object>(kind: string, roots: T, versions: Readonly<Record<keyof T, number>>) =>
    Object.entries(roots).map(([name, root]): [string, RuleHash] => [
      `${kind} ${name}`,
      {
        version: versions[name as keyof T],
        hash: kind === 'phase' ? hashOf([chunkOf(root as Root)]) : hashOf(reached(root as Root, stop)),
      },
    ]);
  return Object.fromEntries([
    ...named('gate', gates, gateVersions),
    ...named('decision', decisions, decisionVersions),
    ...named('phase', phases, phaseVersions),
  ]);
}

const hashOf = (chunks: readonly string[]): string => hash('sha256', chunks.join('\n'), 'hex').slice(0, 16);

/** Versions and limits are no rules: a verdict names the one, and a decision records the other. */
const noRules: ReadonlySet<string> = new Set(['gateVersions', 'phaseVersions', 'decisionVersions', 'policy']);

/** The declarations that this one reaches, in its own module and in those that it imports; not those where another gate begins. */
function reached(root: Root, stop: ReadonlySet<string>): readonly string[] {
  const seen = new Map<string, string>();
  const visit = ([file, name]: Root): void => {
    const key = `${file},${name}`;
    if (seen.has(key) || noRules.has(name) || (stop.has(key) && key !== String(root))) return;
    const { chunks, imports } = moduleOf(file);
    const chunk = chunks.get(name);
    if (chunk === undefined) {
      const elsewhere = imports.get(name);
      if (elsewhere !== undefined) visit(elsewhere);
      return;
    }
    seen.set(key, chunk);
    for (const [word] of chunk.matchAll(/[A-Za-z_$][\w$]*/g)) {
      if (chunks.has(word)) visit([file, word]);
      const imported = imports.get(word);
      if (imported !== undefined) visit(imported);
    }
  };
  visit(root);
  return [...seen.values()].toSorted();
}

function chunkOf([file, name]: Root): string {
  const chunk = moduleOf(file).chunks.get(name);
  if (chunk === undefined) throw new Error(`${file} has no ${name}`);
  return chunk;
}

type Module = { readonly chunks: ReadonlyMap<string, string>; readonly imports: ReadonlyMap<string, Root> };
const modules = new Map<string, Module>();

/** The top-level declarations of a module that our formatter has written, without types, comments and layout. */
function moduleOf(file: string): Module {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const source = stripTypeScriptTypes(readFileSync(file, 'utf8'))
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '');
  const imports = new Map<string, Root>();
  for (const [, names = '', path = ''] of source.matchAll(/^(?:import|export) \{([^}]*)\} from '(\.[^']+)'/gm))
    for (const name of names.split(',').map((one) => one.trim())) imports.set(name, [join(dirname(file), path), name]);
  const chunks = new Map<string, string>();
  for (const part of source.split(/^(?=(?:export )?(?:async )?(?:function|const|let|class) )/m).slice(1)) {
    const name = /^(?:export )?(?:async )?(?:function|const|let|class) (\w+)/.exec(part)?.[1];
    if (name !== undefined) chunks.set(name, part.replaceAll(/\s+/g, ' ').trim());
  }
  const made = { chunks, imports };
  modules.set(file, made);
  return made;
}
