import { createServiceClient, DiagnosticsError, loadConfig, lookUpNames, readNames } from 'attune';
import { createService } from 'attune/service';

export const address = process.env.ATTUNE_ADDRESS ?? 'https://iac.example.com';
export const client = createServiceClient({ address: new URL(address), token: process.env.ATTUNE_TOKEN });
export const service = createService(client);

const { configurations, diagnostics } = await loadConfig('attune.yaml');
const [first] = configurations;
if (first === undefined) throw new DiagnosticsError(diagnostics);
export const declared = first;
export const configuration = await lookUpNames(declared, (kind) => readNames(client, 'acme', kind));
