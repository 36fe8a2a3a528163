import { describeConformance } from './describe-conformance.ts';

describeConformance('claude-agent-acp');
