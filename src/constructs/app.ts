import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { type IConstruct, RootConstruct } from 'constructs';
import { declaredTwice } from '../desired/declarations.ts';
import { outdirVariable, printPlace, synthesizedName } from '../desired/files/synthesized.ts';
import { loadRoot } from '../desired/load-root.ts';
import type { Configuration } from '../model/configuration.ts';
import {
  AttuneError,
  type Diagnostic,
  hasErrors,
  type SourceLocation,
  showPlace,
} from '../model/diagnostic.ts';
import { readRegularFile, replaceFile, slashed } from '../model/files.ts';
import { quote } from '../model/text.ts';
import { groupBy, isRecord, noneIfEmpty, type Values, withoutUndefined } from '../model/value.ts';
import { printFile } from '../write/yaml-text.ts';
import { type Description, describeOrganization } from './describe-organization.ts';
import { Organization } from './organization.ts';
import { locate, markCallSite, originOf } from './origin.ts';

/** Where the files of a program are written. */
export interface AppProps {
  /** The folder that {@link App.synth} writes to. @default 'attune.out' */
  readonly outdir?: string;
}

/**
 * The root of a program's constructs.
 *
 * @example
 * ```ts
 * const app = new App({ outdir: 'out' });
 * const acme = new Organization(app, 'acme');
 * new Workspace(acme, 'network', { autoApply: true });
 * const [configuration] = await app.synth();
 * console.log([...(configuration?.desired.resources.keys() ?? [])]); // [ 'workspace.network' ]
 * ```
 */
export class App extends RootConstruct {
  readonly #outdir: string | undefined;

  constructor({ outdir }: AppProps = {}) {
    super('');
    markCallSite(this, new.target);
    this.#outdir = outdir;
  }

  /**
   * Writes a file for each organization, `<outdir>/<organization>.yaml`, which `attune` accepts like any root file, and
   * loads it. The same program writes the same bytes. Under `--app`, the command that runs the program sets the folder
   * and reports mistakes.
   *
   * @returns one configuration for each organization, as `loadConfig` of `attune` returns it.
   * @throws {@link SynthesisError} with every broken rule: rule, construct path and line.
   * @example
   * ```ts
   * const [configuration] = await app.synth();
   * console.log(configuration?.desired.organization); // acme
   * ```
   */
  synth(): Promise<readonly Configuration[]> {
    return synthesize(this, this.#outdir);
  }
}

/**
 * A program is invalid: every broken rule with its construct and line.
 *
 * @example
 * ```ts
 * new Workspace(acme, 'agents', { executionMode: 'agent' });
 * const error = await app.synth().catch((reason: unknown) => reason);
 * if (error instanceof SynthesisError) console.log(error.diagnostics[0]?.code); // missing-key
 * ```
 */
export class SynthesisError extends AttuneError {
  override readonly name = 'SynthesisError';
  override readonly code = 'invalid';
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    const lines = errors.map(({ message, location, hint }) =>
      [message, location && `    at ${showPlace(location)}`, hint && `    hint: ${hint}`]
        .filter((line) => line !== undefined)
        .join('\n'),
    );
    super(
      `the program breaks ${errors.length === 1 ? 'a rule' : `${errors.length} rules`}\n\n${lines.join('\n\n')}\n`,
    );
    this.diagnostics = diagnostics;
    // The stack shows the call of `synth`, not the constructs.
    this.stack = `${this.name}: ${this.message}`;
    // Node prints an uncaught error with all of its members, and the message lists the rules already.
    for (const key of Object.keys(this)) Object.defineProperty(this, key, { enumerable: false });
  }
}

async function synthesize(app: IConstruct, outdir = 'attune.out'): Promise<readonly Configuration[]> {
  // Set by --app, which then reads the files together with other configuration, and reports mistakes.
  const outside = process.env[outdirVariable];
  const folder = resolve(outside ?? outdir);
  const loaded = [];
  for (const [name, description] of describeAll(app)) {
    const file = resolve(folder, synthesizedName(name));
    const text = renderRootFile(description, file);
    if (outside !== undefined) await checkAlone(file, text, name);
    await writeWhole(file, text);
    loaded.push(await loadRoot(file, { folder: process.cwd(), isProgram: true }));
  }
  const diagnostics = loaded.flatMap((root) => root.diagnostics);
  if (outside === undefined && hasErrors(diagnostics)) throw new SynthesisError(diagnostics);
  return loaded.flatMap(({ configuration }) => configuration ?? []);
}

function describeAll(app: IConstruct): ReadonlyMap<string, Description> {
  const constructs = app.node.findAll();
  const organizations = constructs.filter((one) => one instanceof Organization);
  if (organizations.length === 0)
    throw new AttuneError('the program declares no organization', {
      code: 'empty-program',
      hint: "add `new Organization(app, 'acme')` to the program",
    });
  const outside = constructs.filter((one) => !one.node.scopes.some((scope) => scope instanceof Organization));
  const byName = groupBy(organizations, ({ name }) => name);
  const twice = [...byName].flatMap(([name, [first, ...others]]) =>
    others.flatMap((other) => {
      const [place, otherPlace] = [first as Organization, other].map((one) => locate(originOf(one)));
      return place && otherPlace ? declaredTwice(`the organization ${quote(name)}`, place, otherPlace) : [];
    }),
  );
  // Problems outside of all organizations are reported with the first organization.
  const beside = { constructs: outside, problems: twice };
  const described = [...byName].map(
    ([name, [first]], index) =>
      [name, describeOrganization(first as Organization, index === 0 ? beside : undefined)] as const,
  );
  return new Map(described);
}

/** All files in this folder are of the current run: an existing one was written by another app and must not be lost. */
async function checkAlone(path: string, text: string, organization: string): Promise<void> {
  const there = await readRegularFile(path).catch(() => text);
  if (there === text) return;
  throw new AttuneError(`two apps declare the organization ${quote(organization)}`, {
    code: 'duplicate-name',
    hint: 'create its constructs in one app, and call synth() after all of them',
  });
}

/** Writes atomically, because several programs may write the file at once. */
async function writeWhole(path: string, text: string): Promise<void> {
  const beside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(beside, text);
    await replaceFile(beside, path);
  } catch (cause) {
    await rm(beside, { force: true });
    throw new AttuneError(`cannot write ${path}: ${(cause as Error).message}`, {
      code: 'file-not-written',
      cause,
    });
  }
}

const heading = 'Generated by a program with attune/constructs. Change the program instead of this file.';

function renderRootFile({ sections, places, problems }: Description, path: string): string {
  // Paths in the program are relative to the working folder, paths in a root file to that file.
  const from = (file: string) => slashed(relative(dirname(path), resolve(file)));
  const place = (location: SourceLocation) => printPlace({ ...location, file: from(location.file) });
  const sorted = [...places].sort(([a], [b]) => (a < b ? -1 : 1));
  const found = problems.map(({ code, message, hint, location }) =>
    withoutUndefined({ code, message, hint, place: location && place(location) }),
  );
  const synthesized = withoutUndefined({
    places: Object.fromEntries(sorted.map(([pointer, location]) => [pointer, place(location)])),
    problems: noneIfEmpty(found),
  });
  const service = isRecord(sections.service) ? sections.service : {};
  const { address, data = address === 'embedded' ? '.attune/embedded.json' : undefined, seed } = service;
  const files = Object.entries({ data, seed }).flatMap(([key, file]) =>
    typeof file === 'string' ? [[key, from(file)] as const] : [],
  );
  const written = files.length > 0 ? { ...service, ...Object.fromEntries(files) } : sections.service;
  return printFile(
    withoutUndefined({ ...sections, service: written as Values | undefined, synthesized }),
    heading,
  );
}
