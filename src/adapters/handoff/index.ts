export { chooseHandoff, judgeHandoff } from './judge.ts';
export { handoffFile, readHandoffFile } from './read-file.ts';
