import type { AgentNote } from '../../domain/agents/agent-note.ts';
import { below, resolvePath } from '../../domain/base/paths.ts';
import { parsePattern } from '../../domain/scope/pattern.ts';
import { mayChange, readScope, type Scope } from '../../domain/scope/scope.ts';
import type { Terms } from '../../ports/supervisor.ts';

export type Ask = { readonly paths: readonly string[]; readonly why: string; readonly wait: number };
/** `later`: granted paths that the fence of this attempt has read-only; they are open from the next attempt on. */
type AskAnswer =
  | { readonly ok: true; readonly granted: boolean; readonly later?: readonly string[] }
  | { readonly ok: false; readonly why: string };

export type Asks = {
  ask(request: Ask): AskAnswer | Promise<AskAnswer>;
  /** Null when the scope of this attempt is unknown. */
  scope(): ShownScope | null;
  terms(terms: Terms): void;
};

/** The scope as its agent may see it: paths of other tasks are listed, but these tasks are not named. Patterns as in plans. */
export type ShownScope = {
  readonly task: string;
  readonly kind: Scope['kind'];
  readonly owns: readonly string[];
  readonly granted: readonly string[];
  readonly othersOwn: readonly string[];
  readonly locked: readonly string[];
  readonly protected: readonly string[];
  readonly generated: readonly string[];
  readonly forbidden: readonly string[];
};

const most = { asks: 20, paths: 20, seconds: 600 };

/** `readOnly`: paths that its fence has read-only for as long as it runs. */
type AskPlace = { readonly workspace: string; readonly readOnly: readonly string[] };

/** Takes an agent's requests for paths beyond its scope. A note passes each on to people, who may grant it while the agent works. */
export function takeAsks(
  { workspace, readOnly }: AskPlace,
  known: Terms['scope'] | null,
  note: (note: AgentNote) => boolean,
): Asks {
  let data = known;
  let scope: Scope | null = known === null ? null : readScope(known);
  let asks = 0;
  const waiting = new Set<() => void>();
  const isGranted = (paths: readonly string[]): boolean => {
    const now = scope;
    return now !== null && paths.every((path) => mayChange(now, path));
  };
  const granted = (paths: readonly string[]): AskAnswer => {
    const later = paths.filter((path) => readOnly.some((one) => below(one, resolvePath(workspace, path)) !== null));
    return { ok: true, granted: true, ...(later.length === 0 ? {} : { later }) };
  };
  return {
    ask({ paths: spelled, why, wait }) {
      const paths = spelled.map((path) => insideOf(workspace, path));
      if (paths.length === 0 || paths.length > most.paths) return refused(`name between 1 and ${most.paths} paths`);
      const inside = paths.filter((path): path is string => path !== null && path !== '' && parsePattern(path).ok);
      if (inside.length < paths.length) return refused('only paths inside the workspace can be asked for');
      if (isGranted(inside)) return granted(inside);
      asks += 1;
      if (asks > most.asks || !note({ note: 'asked', paths: inside, why })) return refused('you have asked too often');
      if (wait <= 0) return { ok: true, granted: false };
      return new Promise((resolve) => {
        const answer = (reply: AskAnswer): void => {
          clearTimeout(timer);
          waiting.delete(look);
          resolve(reply);
        };
        const look = (): void => {
          if (isGranted(inside)) answer(granted(inside));
        };
        const timer = setTimeout(() => answer({ ok: true, granted: false }), Math.min(wait, most.seconds) * 1000);
        waiting.add(look);
      });
    },
    scope: () => (data === null ? null : shown(data)),
    terms(terms) {
      data = terms.scope;
      scope = readScope(terms.scope);
      for (const look of waiting) look();
    },
  };
}

function shown(scope: Terms['scope']): ShownScope {
  const ofOthers = (claims: Terms['scope']['locks']): readonly string[] => [
    ...new Set(claims.filter(({ task }) => task !== scope.task).map(({ pattern }) => pattern)),
  ];
  return {
    task: scope.task,
    kind: scope.kind,
    owns: scope.own,
    granted: scope.granted,
    othersOwn: ofOthers([...scope.siblings.filter(({ by }) => by !== 'locks'), ...scope.granting]),
    locked: ofOthers(scope.locks),
    protected: scope.protect,
    generated: scope.generated,
    forbidden: scope.forbid,
  };
}

/** Returns a path as patterns spell it: a directory keeps its slash. Null for a path outside. */
function insideOf(workspace: string, path: string): string | null {
  const inside = below(workspace, resolvePath(workspace, path));
  return inside !== null && inside !== '' && path.endsWith('/') ? `${inside}/` : inside;
}

const refused = (why: string): AskAnswer => ({ ok: false, why });
