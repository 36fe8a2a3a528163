import { ok } from '../../domain/base/result.ts';
import type { passages } from '../../protocol/routes/mcp.ts';
import { repositoryMeant } from '../dcm-found.ts';
import type { PassageHandlers } from '../site.ts';

export const passageHandlers: PassageHandlers<typeof passages> = {
  mcp: async ({ query }, site) => {
    const repository = await repositoryMeant(site, query);
    return repository.ok ? ok(site.mcp(repository.value.repo.checkout)) : repository;
  },
};
