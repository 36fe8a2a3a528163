import { safeText } from '../base/safe-text.ts';

/** The lines of a failing program's output that say why: those that look like it, else the last ones. */
export function failingLines(output: string, most = 10): readonly string[] {
  const lines = safeText(output)
    .split('\n')
    .map((line) => line.replaceAll('\t', '  ').trimEnd())
    .filter((line) => line.trim() !== '' && !noise.test(line));
  const telling = lines.filter((line) => mark.test(line) && !allWell.test(line));
  const chosen = lines.length <= most ? lines : telling.length > 0 ? telling.slice(0, most) : lines.slice(-most);
  return chosen.map((line) => (line.length <= longest ? line : `${line.slice(0, longest)}…`));
}

const longest = 160;
const mark =
  /\b(errors?|fail(ed|s|ure|ures)?|fatal|not ok|assert\w*|\w*exception|panic\w*|traceback|expected|actual|received)\b|\w+Error\b|^\s*[✗✘×✖]|^\s*at .*:\d+/i;
/** A summary that nothing of the kind was found. */
const allWell = /\b(0|no) (errors?|fail\w*)|\b(errors?|fail\w*)\W{1,3}0\b/i;
/** What package managers print whenever a script fails. */
const noise = /^(npm (error|ERR!)|> |\s*ELIFECYCLE|error Command failed|info Visit )/;
