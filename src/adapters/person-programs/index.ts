export { runDifftool } from './difftool.ts';
export { openEditor, runEditor } from './editor.ts';
export { pagerOf, showInPager } from './pager.ts';
