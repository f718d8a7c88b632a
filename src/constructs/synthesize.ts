import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { IConstruct } from 'constructs';
import type { Configuration } from '../desired/configuration.ts';
import { declaredTwice } from '../desired/declarations.ts';
import { outdirVariable, synthesizedName } from '../desired/files/synthesized.ts';
import { loadRoot } from '../desired/load-root.ts';
import { quote } from '../desired/text.ts';
import { AttuneError } from '../model/attune-error.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { brokenRules } from './broken-rules.ts';
import { type Description, describeOrganization } from './describe-organization.ts';
import { ofClass } from './entries.ts';
import { Organization } from './organization.ts';
import { renderFile } from './render-file.ts';
import { locate, originOf } from './source-location.ts';
import { SynthesisError } from './synthesis-error.ts';

/** Writes and loads the files of all organizations. See `App.synth`. */
export async function synthesize(app: IConstruct, outdir = 'attune.out'): Promise<readonly Configuration[]> {
  // Set by --app, which then reads the files, together with those that people write, and tells what is wrong.
  const outside = process.env[outdirVariable];
  const folder = resolve(outside ?? outdir);
  const loaded = [];
  for (const [name, description] of describeAll(app)) {
    const file = resolve(folder, synthesizedName(name));
    const text = renderFile(description, file);
    if (outside !== undefined) await checkAlone(file, text, name);
    await writeWhole(file, text);
    loaded.push(await loadRoot(file, { folder: process.cwd() }));
  }
  const diagnostics = loaded.flatMap((root) => root.diagnostics);
  if (outside === undefined && hasErrors(diagnostics)) throw new SynthesisError(diagnostics);
  return loaded.flatMap(({ configuration }) => configuration ?? []);
}

function describeAll(app: IConstruct): ReadonlyMap<string, Description> {
  const constructs = app.node.findAll();
  const [first, ...others] = ofClass(constructs, Organization);
  if (!first)
    throw new AttuneError('the program declares no organization', {
      code: 'empty-program',
      hint: "say new Organization(app, 'acme')",
    });
  const byName = new Map([[first.name, first]]);
  // What is wrong outside of all organizations is told with the first.
  const problems = brokenRules(
    constructs.filter((one) => !one.node.scopes.some((scope) => scope instanceof Organization)),
  );
  for (const organization of others) {
    const { name } = organization;
    const known = byName.get(name);
    if (!known) byName.set(name, organization);
    else
      problems.push(
        ...declaredTwice(
          `the organization ${quote(name)}`,
          locate(originOf(known)),
          locate(originOf(organization)),
        ),
      );
  }
  return new Map(
    [...byName].map(([name, organization]) => [
      name,
      describeOrganization(organization, organization === first ? problems : []),
    ]),
  );
}

/** In a folder of the run nothing is old: what is there is of another app, and would be undeclared without a word. */
async function checkAlone(path: string, text: string, organization: string): Promise<void> {
  const there = await readFile(path, 'utf8').catch(() => text);
  if (there === text) return;
  throw new AttuneError(`two apps declare the organization ${quote(organization)}`, {
    code: 'duplicate-name',
    hint: 'make its constructs in one app, and say synth() when all are made',
  });
}

/** Whole or not at all, however many programs write it at once. */
async function writeWhole(path: string, text: string): Promise<void> {
  const beside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(beside, text);
    await rename(beside, path);
  } catch (cause) {
    await rm(beside, { force: true });
    throw new AttuneError(`${path} cannot be written: ${(cause as Error).message}`, {
      code: 'file-not-written',
      cause,
    });
  }
}
