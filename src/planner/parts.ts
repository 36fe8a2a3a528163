import { clausesOf } from './clauses.ts';
import { type AgentMatch, type AgentType, generalist, matchAgents, type Registry } from './registry.ts';
import { mentions, wordsOf } from './words.ts';

/** What of a goal one agent has. */
export type GoalPart = {
  readonly agent: AgentType;
  /** The clauses it stands in. */
  readonly clauses: readonly string[];
  /** Only what concerns these words; empty: all of it. */
  readonly about: readonly string[];
};

/** Who explores, who implements and who validates what of a goal. Nothing of it is left out, and none has another's part. */
export type Parts = {
  readonly explore: readonly GoalPart[];
  readonly implement: readonly GoalPart[];
  readonly validate: readonly GoalPart[];
};

export function goalParts(goal: string, registry: Registry): Parts {
  const found = clausesOf(goal).map((clause) => partsOfClause(clause, registry));
  return {
    explore: found.flatMap(({ explore }) => explore),
    implement: found.flatMap(({ implement }) => implement),
    validate: found.flatMap(({ validate }) => validate),
  };
}

/** How the part is told: the clause itself where an agent has all of it. */
export function partText({ clauses, about }: GoalPart): string {
  const text = clauses.join('; ');
  return about.length === 0
    ? text
    : `the part about ${about.map((word) => word.replace('*', '…')).join(', ')} of: ${text}`;
}

function partsOfClause(clause: string, registry: Registry): Parts {
  const matches = matchAgents(clause, registry);
  const at = (stage: AgentType['stage']) => matches.filter(({ agent }) => agent.stage === stage);
  const [explorer] = at('explore');
  if (explorer !== undefined && leads(clause, explorer.agent.keywords))
    return { explore: [whole(explorer, clause)], implement: [], validate: [] };
  const validators = at('validate');
  const leading = validators.find(({ agent }) => leads(clause, agent.keywords) || isItsOwn(clause, agent));
  const specialists = at('implement').filter(({ agent }) => agent.type !== generalist);
  const general =
    registry.find(({ type }) => type === generalist) ?? registry.find(({ stage }) => stage === 'implement');
  const implementers =
    specialists.length > 0
      ? specialists
      : leading !== undefined || general === undefined
        ? []
        : [{ agent: general, keywords: [] }];
  const apart = implementers.length > 1;
  return {
    explore: [],
    implement: implementers.map((match) => (apart ? share(match, clause) : whole(match, clause))),
    validate: validators.map((match) => (match === leading ? whole(match, clause) : share(match, clause))),
  };
}

const whole = ({ agent }: AgentMatch, clause: string): GoalPart => ({ agent, clauses: [clause], about: [] });
const share = ({ agent, keywords }: AgentMatch, clause: string): GoalPart => ({
  agent,
  clauses: [clause],
  about: keywords,
});

/** `Review the parser` is a review; `Add a review page` is none. */
const leads = (clause: string, keywords: readonly string[]): boolean =>
  keywords.some((keyword) => mentions(wordsOf(clause).slice(0, keyword.split(' ').length), keyword));

/** `Write tests for the login` is for whoever writes tests; `Add a login with tests` is not. */
function isItsOwn(clause: string, agent: AgentType): boolean {
  if (agent.role !== 'quality') return false;
  const head = wordsOf(clause.split(/\s(?:with|for|in|to|of|on|that|so|and)\s/iu)[0] ?? '');
  return agent.keywords.some((keyword) => mentions(head, keyword));
}
