// biome-ignore-all assist/source/organizeImports: agents are offered and tried in the order of the lines
export { commandAgent } from './command/facts.ts';
export { claude } from './claude/facts.ts';
export { codex } from './codex/facts.ts';
export { opencode } from './opencode/facts.ts';
export { acp } from './acp/facts.ts';
export { gemini } from './gemini/facts.ts';
export { scripted } from './scripted/facts.ts';
