// Agents are offered and tried in the order of these lines.
import './command/facts.ts';
import './claude/facts.ts';
import './codex/facts.ts';
import './opencode/facts.ts';
import './acp/facts.ts';
import './gemini/facts.ts';
import './scripted/facts.ts';
