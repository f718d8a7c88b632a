import { createServiceClient, DiagnosticsError, loadConfig } from 'attune';
import { readConfiguration } from 'attune/cdktf';
import { App, TerraformStack } from 'cdktn';

const address = process.env.ATTUNE_ADDRESS ?? 'https://iac.example.com';
export const client = createServiceClient({ address: new URL(address), token: process.env.ATTUNE_TOKEN });

const { configurations, diagnostics } = await loadConfig('attune.yaml');
const [first] = configurations;
if (first === undefined) throw new DiagnosticsError(diagnostics);
export const declared = first;
export const { configuration, live } = await readConfiguration(declared, client);

export const stack = new TerraformStack(new App(), 'acme');
