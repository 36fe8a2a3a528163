import { describeConformance } from './describe-conformance.ts';

describeConformance('codex-acp');
