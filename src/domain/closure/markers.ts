import { environmentPattern, type RoleReport } from './report.ts';
import { type ClosureRole, type QaDimension, qaDimensions, roleWords } from './roles.ts';

/** A report in marker lines. `lines` are the lines that it was made from. */
export type MarkedReport = { readonly report: RoleReport; readonly lines: readonly string[] };

/** A marker line. `fields` has lower-case keys; `detail` is everything after `detail=`. */
type Marker = {
  readonly line: string;
  readonly words: readonly string[];
  readonly fields: ReadonlyMap<string, string>;
  readonly detail: string;
};

/**
 * Reads the report of a role from marker lines, as wave-orchestration has them. Only a line of its own counts, or one that is wholly in
 * single backticks. The last one of its kind decides, also when it is malformed: then there is no report, and an earlier one does not
 * stand in for it. Null: no report.
 */
export function reportInMarkers(role: ClosureRole, text: string): MarkedReport | null {
  const of = (tag: string): readonly Marker[] => markersIn(text, tag);
  const read = readers[role](of);
  if (read === null || !roleWords[role].words.includes(read.report.word)) return null;
  return read;
}

type Read = (of: (tag: string) => readonly Marker[]) => MarkedReport | null;

const readers: Readonly<Record<ClosureRole, Read>> = {
  eval: single('wave-eval', evalReport),
  security: single('wave-security', securityReport),
  integration: single('wave-integration', integrationReport),
  docs: single('wave-doc-closure', docsReport),
  infra: (of) => worst('infra', latest(of('infra-status'), ['kind', 'target'])),
  deploy: deployReport,
  qa: qaReport,
};

/** A role with one marker: the last one is its report. */
function single(tag: string, read: (marker: Marker) => RoleReport | null): Read {
  return (of) => {
    const marker = of(tag).at(-1);
    const report = marker === undefined ? null : read(marker);
    return marker === undefined || report === null ? null : { report, lines: [marker.line] };
  };
}

function evalReport({ fields, detail }: Marker): RoleReport | null {
  const [targets, benchmarks] = [listOf(fields.get('target_ids')), listOf(fields.get('benchmark_ids'))];
  const regressions = countOf(fields.get('regressions'));
  const counts = [countOf(fields.get('targets')), countOf(fields.get('benchmarks'))];
  const isWrong = [targets, benchmarks].some((ids, index) => ids.length > 0 && ids.length !== counts[index]);
  if (regressions === null || counts.includes(null) || isWrong) return null;
  return { word: stateOf(fields), findings: textsOf(detail), targets, benchmarks, regressions };
}

function securityReport({ fields, detail }: Marker): RoleReport | null {
  const [findings, approvals] = [countOf(fields.get('findings')), countOf(fields.get('approvals'))];
  if (findings === null || approvals === null) return null;
  const word = stateOf(fields);
  // the detail of a clear report is a remark
  const said = findings === 0 && word === 'clear' ? [] : textsOf(detail);
  return {
    word,
    findings: findings > 0 && said.length === 0 ? [`findings: ${findings}`] : said,
    ...(approvals === 0 ? {} : { approvals: [`approvals: ${approvals}`] }),
  };
}

/** Ready with a conflict or a blocker is no report: the line contradicts itself. */
function integrationReport({ fields, detail }: Marker): RoleReport | null {
  const names = ['claims', 'conflicts', 'blockers'] as const;
  const counts = names.map((name) => countOf(fields.get(name)));
  const state = stateOf(fields);
  const word = state === 'ready-for-doc-closure' ? 'ready' : state;
  const [, conflicts = 0, blockers = 0] = counts;
  if (counts.includes(null) || (word === 'ready' && Number(conflicts) + Number(blockers) > 0)) return null;
  const open = names.flatMap((name, index) => (Number(counts[index]) > 0 ? [`${name}: ${counts[index]}`] : []));
  return { word, findings: [...textsOf(detail), ...open] };
}

function docsReport({ fields, detail }: Marker): RoleReport {
  const items = listOf(fields.get('paths'));
  return { word: stateOf(fields), findings: textsOf(detail), ...(items.length === 0 ? {} : { items }) };
}

/** The environment is called `service` there. Its fields come in any order, and `rolledover` is another spelling. */
function deployReport(of: Parameters<Read>[0]): MarkedReport | null {
  const markers = latest(of('deploy-status'), ['service', 'environment']);
  const found = worst('deploy', markers);
  if (found === null || markers === null) return null;
  const environments = Object.fromEntries(
    markers.map(({ fields }) => [fields.get('service') ?? fields.get('environment') ?? '', stateOf(fields)]),
  );
  const isFit = Object.keys(environments).every((name) => environmentPattern.test(name));
  return isFit ? { ...found, report: { ...found.report, environments } } : null;
}

function qaReport(of: Parameters<Read>[0]): MarkedReport | null {
  const [verdict, gate] = [of('wave-verdict').at(-1), of('wave-gate').at(-1)];
  const dimensions = gate === undefined ? {} : dimensionsIn(gate);
  const word = verdict === undefined ? undefined : (verdict.words[0] ?? verdict.fields.get('state'))?.toLowerCase();
  if (verdict === undefined || word === undefined || verdict.words.length > 1 || dimensions === null) return null;
  return {
    report: {
      word: word === 'hold' || word === 'fail' ? 'blocked' : word,
      findings: textsOf(verdict.detail),
      ...(gate === undefined ? {} : { dimensions }),
    },
    lines: [...(gate === undefined ? [] : [gate.line]), verdict.line],
  };
}

/** A `gap` is no pass. Null when a field is not understood. */
function dimensionsIn({ fields, words }: Marker): Partial<Record<QaDimension, string>> | null {
  const found = [...fields].map(([name, value]) => [name, value.toLowerCase().replace(/^gap$/, 'concerns')] as const);
  const isFit = found.every(
    ([name, word]) => qaDimensions.some((one) => one === name) && roleWords.qa.words.includes(word),
  );
  return isFit && words.length === 0 ? Object.fromEntries(found) : null;
}

/** The last marker about each subject, which `keys` name. Null when one of them names none. */
function latest(markers: readonly Marker[], keys: readonly string[]): readonly Marker[] | null {
  const found = new Map<string, Marker>();
  for (const marker of markers) {
    const subject = keys.flatMap((key) => marker.fields.get(key) ?? []).join(' ');
    if (subject === '') return null;
    found.set(subject, marker);
  }
  return [...found.values()];
}

/** The word is the first one that keeps the wave open; the last one when none does. */
function worst(role: ClosureRole, markers: readonly Marker[] | null): MarkedReport | null {
  const last = markers?.at(-1);
  if (markers === null || last === undefined) return null;
  const { words, closes } = roleWords[role];
  if (!markers.every(({ fields }) => words.includes(stateOf(fields)))) return null;
  const chosen = markers.find(({ fields }) => !closes.includes(stateOf(fields))) ?? last;
  return {
    report: { word: stateOf(chosen.fields), findings: markers.flatMap(({ detail }) => textsOf(detail)) },
    lines: markers.map(({ line }) => line),
  };
}

const otherSpellings: Readonly<Record<string, string>> = { rolledover: 'rolled-back' };

/** Empty when there is no state, which is no word of any role. */
function stateOf(fields: Marker['fields']): string {
  const state = (fields.get('state') ?? '').toLowerCase();
  return otherSpellings[state] ?? state;
}

const countOf = (value: string | undefined): number | null =>
  value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) : null;
const listOf = (value = ''): readonly string[] => [
  ...new Set(value.split(',').flatMap((one) => one.trim().slice(0, 1000) || [])),
];
const textsOf = (detail: string): readonly string[] => (detail === '' ? [] : [detail.slice(0, 1000)]);

function markersIn(text: string, tag: string): readonly Marker[] {
  const start = `[${tag}]`;
  return text.split('\n').flatMap((raw) => {
    const line = bareLine(raw.trimEnd());
    return line.slice(0, start.length).toLowerCase() === start ? [markerIn(line, line.slice(start.length))] : [];
  });
}

const bareLine = (line: string): string => /^`([^`]+)`$/.exec(line)?.[1] ?? line;

function markerIn(line: string, rest: string): Marker {
  const [, before = rest, detail = ''] = /^(.*?)(?:^|\s)detail=(.*)$/i.exec(rest) ?? [];
  const words: string[] = [];
  const fields = new Map<string, string>();
  for (const token of before.split(/\s+/).filter((one) => one !== '')) {
    const [, key, value = ''] = /^([a-z_]+)=(.*)$/i.exec(token) ?? [];
    if (key === undefined) words.push(token);
    else fields.set(key.toLowerCase(), value);
  }
  return { line, words, fields, detail: detail.trim() };
}
