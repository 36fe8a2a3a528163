import { describeAlone } from '../support/describe-alone.ts';

describeAlone('gemini');
