import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type AppliedChange, plannedChange } from '../../src/model/apply-result.ts';
import type { Action, FieldChange } from '../../src/model/change.ts';
import type { Diagnostic, Severity, SourceLocation } from '../../src/model/diagnostic.ts';
import type { Plan, PlannedChange } from '../../src/model/plan.ts';
import { kindOfAddress, nameOfAddress } from '../../src/model/state.ts';
import { isRecord, isTexts, type Value } from '../../src/model/value.ts';
import { countChanges } from '../../src/plan/create-plan.ts';
import { plain } from '../../src/report/paint.ts';
import { renderReport } from '../../src/report/render-report.ts';
import { type Report, type ReportEntry, type ReportFormat, reportFormats } from '../../src/report/report.ts';
import { resultText } from '../../src/report/text/text.ts';
import { compactJson } from '../support/compact-json.ts';
import { emptyPlan } from '../support/empty-plan.ts';
import { readTables } from '../support/plan-tables.ts';

/** A title line that starts with `=== `, `--- report` with YAML, and a section for each format, such as `--- text`. */
function rowOf(row: string) {
  const [title = '', report = '', ...sections] = row.split(/^--- /m);
  const expected = sections.map((section) => [
    section.split('\n', 1)[0] ?? '',
    section.replace(/^.*\n/, '').trimEnd(),
  ]);
  return { name: title.trim(), report: report.replace(/^report\n/, ''), expected };
}

const rendered = (report: string, expected: readonly string[][]) =>
  Promise.all(expected.map(async ([format = '']) => [format, await renderedAs(format, report)]));

const folder = join(import.meta.dirname, 'tables');

for (const [file, text] of await readTables(folder)) {
  const [head, ...rows] = text.split(/^=== /m);
  const update = async () => {
    const updated = rows.map(rowOf).map(async ({ name, report, expected }) => {
      const sections = (await rendered(report, expected)).map(
        ([format, shown]) => `--- ${format}\n${shown}\n`,
      );
      return `=== ${name}\n--- report\n${report.trimEnd()}\n${sections.join('')}`;
    });
    await writeFile(join(folder, file), `${head}${(await Promise.all(updated)).join('\n')}`);
  };
  describe(file, () => {
    if (process.env.UPDATE_TABLES) test(`the reports of ${file} are written`, update);
    else
      test.each(rows.map(rowOf))(
        'the report of a table row is as written: $name',
        async ({ report, expected }) => {
          expect(await rendered(report, expected)).toEqual(expected);
        },
      );
  });
}

/**
 * A page as its texts, a block on each line, SARIF as its results, and other formats without the lines that all their
 * documents have: those of hostile reports are compared whole. `lines of FORMAT with PATTERN` are some of all lines.
 */
async function renderedAs(what: string, source: string): Promise<string> {
  const [, some, pattern] = /^lines of (\w+) with (.*)$/.exec(what) ?? [];
  const format = reportFormats.find((one) => one === (some ?? what));
  if (format === undefined) throw new Error(`no format is called ${what}`);
  const { full = false, width } = parse(source, { merge: true }) as { full?: boolean; width?: number };
  const rendered =
    width === undefined
      ? await renderReport(reportOf(source), format, { paint: plain, full })
      : resultText(reportOf(source), { paint: plain, full, width });
  const text = format === 'html' ? textOfPage(rendered) : rendered.trimEnd();
  if (pattern !== undefined) {
    const whole = format === 'sarif' ? compactJson(JSON.parse(text)) : text;
    return whole
      .split('\n')
      .filter((line) => new RegExp(pattern).test(line))
      .join('\n');
  }
  if (format === 'sarif') return resultsOf(JSON.parse(text)).join('\n');
  const common = commonLines[format];
  return common === undefined ? text : text.replace(common, '').trimEnd();
}

/** The marker, the title, fences and blank lines of Markdown; the elements of JUnit around cases; the head of a text. */
const commonLines: Partial<Record<ReportFormat, RegExp>> = {
  markdown: /^(<!-- attune:.*|## Attune: .*|<\/details>|```.*|)(\n|$)/gm,
  junit: /^ *(<\?xml .*|<testsuites .*|<\/test.*)\n?/gm,
  text: /^acme {2}https:\/\/iac\.example\.com\n\n(?=[\s\S])(?![\s\S]*\nacme {2}https:)/,
};

interface Sarif {
  readonly runs: readonly {
    readonly results: readonly {
      readonly ruleId: string;
      readonly level: string;
      readonly message: { readonly text: string };
    }[];
  }[];
}

function resultsOf({ runs }: Sarif): string[] {
  return runs.flatMap(({ results }) =>
    results.map(({ level, ruleId, message }) => `${level} ${ruleId}: ${JSON.stringify(message.text)}`),
  );
}

/** Its headings, lists and tables, without the filters and the calls. */
function textOfPage(page: string): string {
  return page
    .slice(page.indexOf('<main'), page.indexOf('</main>'))
    .replaceAll(/<form[\s\S]*?<\/form>|<noscript>.*?<\/noscript>|<details class="calls">.*?<\/details>/g, '')
    .replaceAll(/<ul class="cards".*?<\/ul>|<nav.*?<\/nav>/g, inOneLine)
    .replaceAll(/<details(?! open)[^>]*><summary>/g, '\n> ')
    .replaceAll(/<h([123])[^>]*>/g, (_, level: string) => `\n${'#'.repeat(Number(level))} `)
    .replaceAll(
      /<(li|p|tr|div|section|header|summary|figure|pre|ul|ol)\b[^>]*>|<\/(h[123]|pre|summary|details|div)>/g,
      '\n',
    )
    .replaceAll(/<\/(td|th|span|code|dt)>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&gt;', '>')
    .replaceAll(/[ ]+/g, ' ')
    .replaceAll(/(workspace|project|team-access)\. /g, '$1.')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** A list of figures or of links. */
function inOneLine(list: string): string {
  return `\n${list.replaceAll(/<\/li><li[^>]*>/g, ' | ').replaceAll(/<\/?(ul|nav|li)\b[^>]*>/g, '')}\n`;
}

type Yaml = Readonly<Record<string, unknown>>;

/**
 * A report in YAML: `kind`, `full`, the `width` of a terminal, and the entry itself or a list of `entries`. An entry has
 *
 *     file: a.yaml, source, failed, organization      as in `ReportEntry`
 *     isRefused: true                                 without a result, in the report of an apply
 *     folder: infra                                   of its files, from the working folder
 *     changes: [{update workspace.app: {auto-apply: [true, false], at: "a.yaml:3", result: failed}}]
 *     diagnostics: [error code file:1:2 message]
 *     unchanged: 3
 *     plan: {unmanaged: [workspace.x]}                other parts of the plan as they are
 */
function reportOf(source: string): Report {
  const {
    kind = 'plan',
    full: _full,
    width: _width,
    entries,
    ...entry
  } = parse(source, { merge: true }) as Yaml;
  const listed = (entries ?? [entry]) as readonly Yaml[];
  return { kind: kind as Report['kind'], entries: listed.map((one) => entryOf(one, kind === 'apply')) };
}

function entryOf(
  { folder, changes = [], diagnostics = [], unchanged = 0, plan, isRefused, ...rest }: Yaml,
  isApplied: boolean,
): ReportEntry {
  const path = (file: string) => (folder === undefined ? file : `${folder}/${file}`);
  const found = (diagnostics as readonly (string | Diagnostic)[]).map(diagnosticOf);
  const base = { ...rest, diagnostics: found, path } as ReportEntry;
  if (rest.failed || plan === null) return base;
  const all = (changes as readonly Yaml[]).flatMap(changesOf);
  const planned = all.map((change) => plannedChange(change as AppliedChange));
  const made: Plan = {
    ...emptyPlan,
    organization: String(rest.organization ?? 'acme'),
    address: 'https://iac.example.com',
    summary: countChanges(planned, Number(unchanged)),
    changes: planned,
    diagnostics: found,
    ...(plan as Partial<Plan>),
  };
  const applied = all.map(
    (change) => ({ result: 'done', callsDone: change.calls.length, ...change }) as AppliedChange,
  );
  const result = { plan: made, changes: applied, diagnostics: [] };
  const isDone = (isApplied || rest.kind === 'apply') && !isRefused;
  return { ...base, plan: made, ...(isDone && { result }) };
}

/** What an apply adds to a change. */
const ofResult = ['result', 'callsDone', 'extraCalls', 'error', 'recoverableUntil'];

function diagnosticOf(written: string | Diagnostic): Diagnostic {
  if (typeof written !== 'string') return written;
  const [, severity, code = '', place, message = ''] =
    /^(\w+) ([\w-]+) (?:(\S+:\d+:\d+) )?(.*)$/.exec(written) ?? [];
  return {
    severity: severity as Severity,
    code,
    message,
    ...(place !== undefined && { location: placeOf(place) }),
  };
}

function placeOf(place: string): SourceLocation {
  const [file = '', line, column = 1] = place.split(':');
  return { file, line: Number(line), column: Number(column) };
}

/** The members of a change that are not its fields. */
const own = [
  ...ofResult,
  ...['cause', 'dependsOn', 'facts', 'grants', 'held', 'mode', 'protectionLost', 'recovery'],
  ...['resources', 'until'],
];

function changesOf(written: Yaml): readonly PlannedChange[] {
  return Object.entries(written).flatMap(([title, detail]) => {
    const { times = 1, ...given } = (detail ?? {}) as Yaml;
    return Array.from({ length: Number(times) }, (_, index) => {
      const numbered = (text: string) => text.replaceAll('$n', String(index + 1));
      const [action = '', address = ''] = numbered(title).split(/ (.*)/s);
      return changeOf(action as Action, address, JSON.parse(numbered(JSON.stringify(given))));
    });
  });
}

function changeOf(
  action: Action,
  address: string,
  { at, calls = 1, origins = {}, ...given }: Yaml,
): PlannedChange {
  const fields = Object.entries(given).filter(([path]) => !own.includes(path));
  const others = Object.entries(given).filter(([path]) => own.includes(path));
  const { grants, ...rest } = Object.fromEntries(others) as Yaml;
  const call = {
    operation: 'updateWorkspace',
    method: 'PATCH',
    path: `/workspaces/ws-${nameOfAddress(address)}`,
  } as const;
  return {
    address,
    kind: kindOfAddress(address),
    name: nameOfAddress(address),
    action,
    dependsOn: [],
    ...rest,
    ...(at !== undefined && { location: placeOf(String(at)) }),
    ...(Object.keys(origins as Yaml).length > 0 && {
      origins: Object.fromEntries(
        Object.entries(origins as Yaml).map(([path, place]) => [path, placeOf(String(place))]),
      ),
    }),
    ...(grants !== undefined && {
      grants: Object.entries(grants as Yaml).map(([path, value]) => fieldOf(path, value, action)),
    }),
    fields: fields.map(([path, value]) => fieldOf(path, value, action)),
    calls: Array.from({ length: Number(calls) }, () => call),
  } as PlannedChange;
}

/** `[before, after]` of an update, the value of a create, or the members of the field. Sets get their differences. */
function fieldOf(path: string, value: unknown, action: Action): FieldChange {
  if (isRecord(value) && 'after' in value)
    return withDifference({ path, before: null, ...value } as FieldChange);
  if (action === 'create') return { path, before: null, after: value as Value };
  const [before = null, after = null] = value as readonly Value[];
  return withDifference({ path, before, after });
}

function withDifference(field: FieldChange): FieldChange {
  const { before, after } = field;
  if (!isTexts(before) || !isTexts(after)) return field;
  const only = (one: readonly string[], other: readonly string[]) =>
    one.filter((item) => !other.includes(item));
  return { add: only(after, before), remove: only(before, after), ...field };
}
