import { acpExecutor } from '../acp/executor.ts';
import { opencodeEnvironment } from './executor.ts';
import { askingRules } from './permission-rules.ts';
import { isRefusal } from './stream.ts';

/** opencode over the Agent Client Protocol: it asks before each call. */
export const opencodeAcpExecutor = acpExecutor((context) => ({
  environment: opencodeEnvironment(context, { permission: askingRules(context) }),
  isRefusal,
}));
