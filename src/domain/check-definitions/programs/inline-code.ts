/** Whether code on a command line can lead to files: it loads, reads or starts something. The code itself is part of the plan. */
export const leadsOn = (code: string): boolean => /[$`]/.test(code) || leading.test(code);

const leading =
  /\b(?:require\w*|import\w*|use|using|include\w*|load\w*|source|do|open\w*|read\w*|slurp|File|fs|exec\w*|system|spawn\w*|popen|fork|shell\w*|eval|run\w*|test)\b/;

/** Asks for nothing but its version or its help. */
export const asksAboutItself = (args: readonly string[]): boolean =>
  args.length > 0 && args.every((arg) => /^(?:-v|-V|-VV|-h|--?version|--?help)$/.test(arg));
