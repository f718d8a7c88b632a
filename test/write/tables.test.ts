import { join } from 'node:path';
import { parse } from 'yaml';
import type { Live } from '../../src/live/read-live.ts';
import { type AliasKind, aliasKinds } from '../../src/model/alias-kind.ts';
import { AttuneError, DiagnosticsError } from '../../src/model/diagnostic.ts';
import { matchesAddress } from '../../src/model/selector.ts';
import type { Resource } from '../../src/model/state.ts';
import { isRecord, type Value, type Values } from '../../src/model/value.ts';
import { lookUpNames, type NamesOf } from '../../src/resolve/look-up-names.ts';
import type { ServiceReader } from '../../src/service/client.ts';
import { accept, addExceptions, exceptionRequest } from '../../src/write/accept.ts';
import { type FileTexts, loadTexts } from '../../src/write/checked-texts.ts';
import { type Edit, editYaml } from '../../src/write/edit-yaml.ts';
import { writeImport } from '../../src/write/import.ts';
import type { Selection } from '../../src/write/read-organization.ts';
import { diagnosticText, liveState } from '../support/plan-tables.ts';
import { type TextRow, testTextTables } from '../support/text-tables.ts';

/*
 * `edit-yaml`: `file`, `edit` as YAML. `import` and `accept`: files by name without the first two lines of the root file, `live` as in the
 * plan tables (with `bare`, workspaces have only the given attributes), `options` as YAML.
 */
testTextTables(join(import.meta.dirname, 'tables'), {
  'edit-yaml': async ({ sections: { file = '', edit = '' } }) =>
    editYaml(file, { file: 'attune.yaml', ...(parse(edit) as Omit<Edit, 'file'>) } as Edit),
  import: (row) => imported(row).catch(errorText),
  accept: (row) => accepted(row).catch(errorText),
  exceptions: (row) => excepted(row).catch(errorText),
});

function errorText(error: unknown): string {
  if (error instanceof DiagnosticsError) return error.diagnostics.map(diagnosticText).join('\n');
  if (!(error instanceof AttuneError)) throw error;
  return `error ${error.code}: ${error.message}${error.hint ? `\n    hint: ${error.hint}` : ''}`;
}

const head = 'attune: 1\norganization: acme\n';
const root = 'attune.yaml';

interface Options extends Selection {
  readonly full?: boolean;
  readonly portable?: boolean;
  readonly scoped?: boolean;
  /** Whether each project has a file. */
  readonly split?: boolean;
  /** Existing files beside those of an import. */
  readonly others?: readonly string[];
  /** Of `accept`. */
  readonly fields?: readonly string[];
  readonly until?: string;
  readonly reason?: string;
}

async function imported({ sections }: TextRow): Promise<string> {
  const {
    full = false,
    portable = false,
    scoped = false,
    split = false,
    others = [],
    ...selection
  } = optionsIn(sections);
  const { live, namesOf, reading } = liveIn(sections);
  const texts = textsIn(sections);
  const files = { root, schema: './attune.schema.json' };
  const { files: written, diagnostics } = await writeImport({
    ...{ reading, selection, namesOf, isFull: full, isPortable: portable },
    files:
      texts.size > 0
        ? { ...files, isNew: false, texts, configuration: await configurationOf(texts, namesOf) }
        : {
            ...{
              ...files,
              isNew: true,
              organization: 'acme',
              isScoped: scoped,
              isSingle: !split,
              standing: others,
            },
            service: { dialect: live.dialect },
          },
  });
  const shown = written.map(({ name, text }) => shownFile(name, text, texts.get(name)));
  return [...shown, ...diagnostics.map(diagnosticText)].join('\n');
}

async function accepted({ sections }: TextRow): Promise<string> {
  const input = await acceptInput(sections);
  const { texts: before } = input;
  const result = await accept({
    ...{ ...input, schema: '' },
    // No row has a live resource that no file declares.
    reader: {} as ServiceReader,
  });
  const changed = [...result.texts].filter(([name, text]) => before.get(name) !== text);
  return [
    ...changed.map(([name, text]) => shownFile(name, text, before.get(name))),
    ...result.fields.map(({ address, path, before, after, add, remove, overrides }) => {
      const lists =
        add && remove
          ? ` (${[...add.map((one) => `+${one}`), ...remove.map((one) => `-${one}`)].join(' ')})`
          : '';
      const layer = overrides ? ` over ${overrides.layer}` : '';
      return `${address} ${path}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}${lists}${layer}`;
    }),
    ...result.diagnostics.map(diagnosticText),
  ].join('\n');
}

async function excepted({ sections }: TextRow): Promise<string> {
  const input = await acceptInput(sections);
  const { only: addresses = [], fields, until, reason } = optionsIn(sections);
  const now = Date.parse('2026-12-01T12:00:00Z');
  const request = exceptionRequest({ addresses, fields, until, reason }, input.configuration, now);
  if (request === undefined) throw new Error('the row asks for no exception');
  const { texts } = await addExceptions(input, request);
  return [...texts].map(([name, text]) => shownFile(name, text, input.texts.get(name))).join('\n');
}

/** What the options choose of the differences. */
async function acceptInput(sections: TextRow['sections']) {
  const { only = ['*'], fields } = optionsIn(sections);
  const { live, namesOf } = liveIn(sections);
  const texts = textsIn(sections);
  const configuration = await configurationOf(texts, namesOf);
  const chosen = (address: string, path: string) =>
    only.some((pattern) => matchesAddress(pattern, address)) && (fields?.includes(path) ?? true);
  return { configuration, live, namesOf, root, texts, chosen };
}

function optionsIn({ options = '' }: TextRow['sections']): Options {
  return parse(options) ?? {};
}

/** The files of a row; the root file with its first lines. */
function textsIn(sections: TextRow['sections']): FileTexts {
  const files = Object.entries(sections).filter(([name]) => name.endsWith('.yaml'));
  return new Map(files.map(([name, text]) => [name, name === root ? head + text : text]));
}

async function configurationOf(texts: FileTexts, namesOf: NamesOf) {
  const { configurations, diagnostics } = await loadTexts(texts, root);
  const [configuration] = configurations;
  if (configuration === undefined) throw new Error(diagnostics.map(diagnosticText).join('\n'));
  return lookUpNames(configuration, namesOf);
}

/**
 * A new file in as few lines as fit, without what all files begin with. Of one that was there before, the lines
 * from the first to the last that differs.
 */
function shownFile(name: string, text: string, before?: string): string {
  const [was, is] = [before ?? '', text].map((one) =>
    one
      .replace(/^# yaml-language-server.*\n/, '')
      .replace(head, '')
      .replace(/^\n?service:\n {2}dialect: \w+\n\n?/m, '')
      .trimEnd(),
  ) as [string, string];
  const shown = before === undefined ? inFewLines(is) : differingLines(was.split('\n'), is.split('\n'));
  return `${name === root ? '' : `# ${name}\n`}${shown}`;
}

/** Mappings between braces where they fit, without empty lines. */
function inFewLines(text: string): string {
  if (/^\s*[-#]|^#| #/m.test(text)) return text;
  const lines = text.split('\n').filter((line) => line !== '');
  return blocks(lines, 0).join('\n');
}

function blocks(lines: readonly string[], depth: number): string[] {
  const indent = ' '.repeat(depth);
  const starts = lines.flatMap((line, index) =>
    /^ *\S/.exec(line)?.[0].length === depth + 1 ? [index] : [],
  );
  return starts.flatMap((start, nth) => {
    const [first = '', ...rest] = lines.slice(start, starts[nth + 1]);
    if (rest.length === 0) return [first];
    const inner = blocks(rest, depth + 2);
    const flow = `${first} {${inner.map((line) => line.trim()).join(', ')}}`;
    const isFlow = inner.every((line) => !line.endsWith(':') && line.startsWith(`${indent}  `));
    return isFlow && inner.length === topLevel(inner, depth + 2) && flow.length <= 120
      ? [flow]
      : [first, ...inner];
  });
}

/** How many lines begin an entry of this depth. */
function topLevel(lines: readonly string[], depth: number): number {
  return lines.filter((line) => /^ *\S/.exec(line)?.[0].length === depth + 1).length;
}

/** The lines from the first to the last that differs. */
function differingLines(before: readonly string[], after: readonly string[]): string {
  const start = before.findIndex((line, index) => line !== after[index]);
  const from = start < 0 ? before.length : start;
  const most = Math.min(before.length, after.length) - from;
  const same = before.toReversed().findIndex((line, index) => index >= most || line !== after.at(-1 - index));
  const kept = same < 0 ? most : same;
  const lines = after.slice(from, after.length - kept);
  const place = from === 0 ? [] : [`... from line ${from + 1}`];
  const gone = lines.length === 0 ? [`without lines ${from + 1} to ${before.length - kept}`] : [];
  return [...(gone.length > 0 ? gone : place), ...lines].join('\n');
}

function liveIn({ live: text = '' }: TextRow['sections']) {
  const given: {
    readonly bare?: boolean;
    readonly names?: Readonly<Partial<Record<AliasKind, Readonly<Record<string, string>>>>>;
    readonly 'names-by-id'?: Readonly<Record<string, Readonly<Record<string, string>>>>;
    readonly others?: Readonly<Record<string, string>>;
    readonly workspaces?: Values;
  } = parse(text) ?? {};
  const read = liveState(text);
  const names = new Map(
    aliasKinds.map((kind) => [
      kind,
      new Map(Object.entries(given.names?.[kind] ?? {}).map(([name, id]) => [id, name])),
    ]),
  );
  for (const [kind, known] of Object.entries(given['names-by-id'] ?? {}))
    names.set(kind as AliasKind, new Map(Object.entries(known)));
  for (const { kind, id = '', attributes } of read.state.resources.values())
    if (kind === 'project') names.get('projects')?.set(id, String(attributes.name));
  const resources = [...read.state.resources].map(
    ([address, resource]) =>
      [address, given.bare ? bare(resource, given.workspaces?.[resource.name]) : resource] as const,
  );
  const others = Object.entries(given.others ?? {});
  const live: Live = {
    ...read,
    names: new Map([...read.names, ...others]),
    state: { ...read.state, resources: new Map(resources) },
  };
  const namesOf: NamesOf = async (kind) => [...(names.get(kind) ?? [])].map(([id, name]) => ({ id, name }));
  return { live, namesOf, reading: { live, names } };
}

/** A workspace with the given attributes and those that every document has. */
function bare(resource: Resource, given: Value | undefined): Resource {
  if (resource.kind !== 'workspace') return resource;
  const keys = isRecord(given) ? Object.keys(given) : [];
  const isGiven = (path: string) =>
    ['tags', 'ssh-key', 'lock', ...keys].some((key) => path === key || path.startsWith(`${key}.`));
  const attributes = Object.entries(resource.attributes).filter(([path]) => isGiven(path));
  return { ...resource, attributes: Object.fromEntries(attributes) };
}
