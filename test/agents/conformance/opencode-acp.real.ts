import { describeConformance } from './describe-conformance.ts';

describeConformance('opencode-acp');
