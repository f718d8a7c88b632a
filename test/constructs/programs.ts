import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { describeOrganization } from '../../src/constructs/describe-organization.ts';
import { App, Organization, type OrganizationProps } from '../../src/constructs/index.ts';
import type { Resource } from '../../src/model/state.ts';

/** What a test makes inside of the organization `acme`. */
export type Program = (acme: Organization) => unknown;

/** An app that writes to a folder which is gone after the test. */
export function emptyApp(): App {
  const outdir = mkdtempSync(join(tmpdir(), 'attune-synth-'));
  onTestFinished(() => rmSync(outdir, { recursive: true }));
  return new App({ outdir });
}

/** An app with one organization. */
export function inApp(program: Program, props: OrganizationProps = {}): App {
  const app = emptyApp();
  program(new Organization(app, 'acme', props));
  return app;
}

/** What a program declares, once it is loaded. */
export async function declared(program: Program, props?: OrganizationProps): Promise<readonly Resource[]> {
  const [configuration] = await inApp(program, props).synth();
  return [...(configuration?.desired.resources.values() ?? [])];
}

// The text of a file as plain data; the schema of the tests defines its shape.
// biome-ignore lint/suspicious/noExplicitAny: tests look at members that they know to be there
type Sections = any;

/** What a program writes, before anything is checked. */
export function described(program: Program, props: OrganizationProps = {}): Sections {
  const organization = new Organization(emptyApp(), 'acme', props);
  program(organization);
  return JSON.parse(JSON.stringify(describeOrganization(organization).sections));
}
