import { agents } from '../../agents/agents.ts';
import { foldPath } from '../base/paths.ts';

/** Files and directories that run, or tell others what to do, without having been called. At any depth of a repository. */
export type Steering = 'agents' | 'editors' | 'hooks' | 'ci' | 'git' | 'tidegate';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Names that agents read when they start. Where the repository has none, the fence shows an empty one. */
export const agentConfigNames: readonly string[] = [
  ...agents.flatMap(({ configuration }) => configuration?.atStart ?? []),
  ...words('.vscode .husky .cursor AGENTS.md'),
];

/** A name in two lists is of the later kind. */
const names: Readonly<Record<Steering, readonly string[]>> = {
  agents: [
    ...agentConfigNames,
    ...agents.flatMap(({ configuration }) => configuration?.later ?? []),
    // of agents that Tidegate does not drive
    ...words(`
    AGENT.md .agents .qwen QWEN.md .cursorrules .cursorignore .windsurf .windsurfrules .clinerules .roo .roorules .roomodes
    .kiro .amazonq .junie .aider.conf.yml .aiderignore .continue .continuerules .goose .goosehints .augment
    .augment-guidelines .trae .factory .crush.json crush.json CRUSH.md WARP.md .rules .openhands`),
  ],
  editors: words(`
    .vscode .idea .zed .fleet .devcontainer .devcontainer.json .gitpod.yml .replit .envrc mise.toml .mise.toml .mise .exrc
    .nvimrc .nvim.lua .vimrc .dir-locals.el`),
  hooks: words(`
    .husky .githooks .git-hooks .pre-commit-config.yaml .pre-commit-hooks.yaml lefthook.yml lefthook.yaml lefthook.toml
    lefthook.json .lefthook .lefthook.yml .lefthook.yaml lefthook-local.yml .overcommit.yml .simple-git-hooks.json
    .simple-git-hooks.js .simple-git-hooks.cjs simple-git-hooks.json .yorkie`),
  ci: words(`
    .github .gitlab .gitlab-ci.yml .gitlab-ci.yaml .circleci .travis.yml Jenkinsfile azure-pipelines.yml
    azure-pipelines.yaml .azure-pipelines bitbucket-pipelines.yml .buildkite .drone.yml .woodpecker.yml .woodpecker.yaml
    .woodpecker .forgejo .gitea .cirrus.yml .cirrus.star appveyor.yml .appveyor.yml .teamcity .semaphore codefresh.yml
    .tekton cloudbuild.yaml buildspec.yml .builds .build.yml`),
  git: ['.gitmodules'],
  tidegate: ['tidegate.yaml', 'tidegate.local.yaml', '.worktreeinclude'],
};

const kinds = new Map<string, Steering>(
  (Object.keys(names) as Steering[]).flatMap((kind) => names[kind].map((name) => [foldPath(name), kind] as const)),
);

/** The segment of a path that makes it one of these, and what it steers. */
export function steeringIn(path: string): { readonly config: string; readonly steers: Steering } | null {
  for (const config of foldPath(path).split('/')) {
    const steers = kinds.get(config);
    if (steers !== undefined) return { config, steers };
  }
  return null;
}

/** Files that instruct agents. An existing one is read-only in a fence. */
export const agentSteering: readonly string[] = names.agents;
