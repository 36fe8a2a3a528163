export { runDifftool } from './difftool.ts';
export { openEditor } from './editor.ts';
export { pagerOf, showInPager } from './pager.ts';
