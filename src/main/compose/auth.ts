import { loginsOf, runSetupToken, storePersonsToken } from '../../agents/readiness.ts';
import type { AuthPorts } from '../../cli/frame/ports.ts';

export const authPorts: AuthPorts = {
  logins: async ({ env }) => loginsOf(env),
  setupToken: runSetupToken,
  store: async ({ env }, variable, token) => storePersonsToken(env, variable, token),
};
