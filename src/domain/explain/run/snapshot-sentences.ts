import type { SnapshotRules } from '../../findings/run/snapshot-rules.ts';
import { few } from '../../texts/told.ts';
import type { Sentences } from '../sentence.ts';

const secret = ({ rule }: { readonly rule: string }) => `a secret in added content (${rule})`;

export const snapshotSentences: Sentences<SnapshotRules> = {
  'nested-git': () => 'a repository, or a name that passes for one, in the workspace',
  'unfit-name': ({ fault }) =>
    fault === 'encoding' ? 'the name is not valid UTF-8' : 'a line break or NUL in the name',
  unreadable: ({ kind }) =>
    kind === 'entry' ? 'the directory does not let anyone look at it' : `the ${kind} cannot be read`,
  'too-deep': () => 'the path is too long to be checked out anywhere',
  'submodule-changed': ({ files }) =>
    files.length === 0
      ? 'tasks cannot change which submodules there are'
      : `tasks cannot change what is in a submodule: ${few(files, 3)}`,
  'special-file': ({ kind }) => `a ${kind} cannot be kept in git`,
  'too-large': ({ limit, bytes }) =>
    limit === 'file'
      ? `larger than ${bytes} bytes`
      : `more than ${bytes} new bytes${limit === 'total' ? '' : ' for LFS'} in all`,
  'known-value': (finding) =>
    finding.in === 'name' ? 'a secret in the name: it would be in every list of changes' : 'a secret in added content',
  'secret-shape': (finding) =>
    finding.in === 'name' ? `a secret in the name (${finding.shape})` : `a secret in added content (${finding.shape})`,
  'private-key': secret,
  'aws-access-key': secret,
  'github-token': secret,
  'anthropic-key': secret,
  'openai-key': secret,
  'slack-token': secret,
  'google-api-key': secret,
  'no-workspace': () => 'the workspace had not been made',
  'workspace-moved': () => 'it changed during the snapshot',
  'workspace-too-large': ({ entries }) => `more than ${entries} files in the workspace`,
  'too-many-refused': ({ most }) => `more than ${most} files that no snapshot can hold`,
  'snapshot-failed': ({ words }) => words,
};
