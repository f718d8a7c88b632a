import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOrganization } from '../../src/constructs/describe-organization.ts';
import { App, Organization, type OrganizationProps } from '../../src/constructs/index.ts';
import type { Resource } from '../../src/model/state.ts';

/** What a test makes inside of the organization `acme`. */
export type Program = (acme: Organization) => unknown;

/** An app with one organization. */
export function inApp(program: Program, props: OrganizationProps = {}, outdir?: string): App {
  const app = new App(outdir === undefined ? {} : { outdir });
  program(new Organization(app, 'acme', props));
  return app;
}

// The text of a file as plain data; the schema of the tests says what is in it.
// biome-ignore lint/suspicious/noExplicitAny: tests look at members that they know to be there
type Sections = any;

/** What a program writes, before anything is checked. */
export function described(program: Program, props: OrganizationProps = {}): Sections {
  const organization = new Organization(new App(), 'acme', props);
  program(organization);
  return JSON.parse(JSON.stringify(describeOrganization(organization, []).sections));
}

export interface Synthesized {
  readonly resources: readonly Resource[];
  /** The text of the file. */
  readonly text: string;
}

/** Synthesizes a program into a folder that is gone afterwards. */
export async function synthesized(program: Program, props: OrganizationProps = {}): Promise<Synthesized> {
  const folder = await mkdtemp(join(tmpdir(), 'attune-synth-'));
  try {
    const [configuration] = await inApp(program, props, folder).synth();
    const text = await readFile(join(folder, 'acme.yaml'), 'utf8');
    return { resources: [...(configuration?.desired.resources.values() ?? [])], text };
  } finally {
    await rm(folder, { recursive: true });
  }
}

export async function declared(program: Program, props?: OrganizationProps): Promise<readonly Resource[]> {
  return (await synthesized(program, props)).resources;
}
