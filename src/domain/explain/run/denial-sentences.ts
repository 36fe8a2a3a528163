import type { DenialRules } from '../../findings/run/denial-rules.ts';
import type { Sentences } from '../sentence.ts';

const listed = ({ pattern }: { readonly pattern: string }): string => `\`${pattern}\` is not allowed in this run`;

/** Read by the model, and by people who follow it. */
export const denialSentences: Sentences<DenialRules> = {
  'outside-workspace': ({ where, place, workspace }) =>
    place === 'checkout'
      ? `\`${where}\` is not yours to write: you work on the copy in ${workspace}`
      : `\`${where}\` lies outside the workspace, and nothing that you write there counts`,
  'own-config': ({ where }) => `\`${where}\` steers agents: you may not change it`,
  'git-command': ({ command }) =>
    `\`git ${command}\` is not for agents: Tidegate takes your files as they are and integrates them itself`,
  'no-verify': () => 'the hooks of this repository must not be skipped',
  'removes-workspace': ({ target }) => `\`rm -r ${target}\` removes the whole workspace`,
  'blocked-command': listed,
  forbidden: listed,
  network: (finding) => {
    switch (finding.fault) {
      case 'not-host':
        return 'not a host name or address';
      case 'not-listed':
        return `${finding.target} is not in fence.network`;
      case 'not-proxy-request':
        return 'this is a proxy: ask it by CONNECT or with http://host/path';
      case 'not-public':
        return `${finding.target} leads to ${finding.addresses.join(', ')}, which is no public address; list the address itself if it is meant`;
    }
  },
  'agent-denied': ({ words }) => words,
};
