import type { SettingsRules } from '../findings/plan/settings-rules.ts';
import type { PatternFault } from '../scope/pattern.ts';
import type { HostFault } from '../settings/network-hosts.ts';

/** Why a text is not a pattern, without the text. */
export function patternFaultText(fault: PatternFault | SettingsRules['bad-pattern']['fault']): string {
  switch (fault.reason) {
    case 'empty':
      return 'a pattern must not be empty';
    case 'too-long':
      return `a pattern has at most ${fault.most} characters`;
    case 'absolute':
      return 'patterns are relative to the repository: no leading `/`';
    case 'backslash':
      return 'use `/` between segments; a backslash escapes nothing';
    case 'control-character':
      return 'control characters are not allowed';
    case 'unsupported':
      return `\`${fault.token}\` is not supported: only \`*\`, \`?\` and \`**\` are; \`?\` stands for any character`;
    case 'empty-segment':
      return 'two slashes in a row';
    case 'parent':
      return '`.` and `..` are not allowed';
    case 'partial-globstar':
      return '`**` must be a whole segment';
    case 'several-drafts':
      return 'a draft is one file';
    case 'several-generated':
      return 'a generated file is one path';
  }
}

export const hostFaultTexts: Readonly<Record<HostFault, string>> = {
  everything: 'every host is `network: on`',
  'inner-star': '`*` stands only before the first dot, as in `*.example.org`',
  'not-a-host': 'not a host name or address',
  'star-alone': '`*.` needs a name with a dot behind it',
  port: 'a port is 1 to 65535',
};
