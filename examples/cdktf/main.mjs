/**
 * Places the workspaces of attune.yaml into a stack with other resources, and writes the stack. The program is
 * the same with `cdktf` instead of `cdktn`.
 *
 *     attune emulator --seed seed.yaml --port 8080 &
 *     ATTUNE_ADDRESS=http://127.0.0.1:8080 ATTUNE_TOKEN=any node main.mjs
 */
import { createServiceClient, loadConfig } from 'attune';
import { readConfiguration, WorkspaceConfiguration } from 'attune/cdktf';
import { App, TerraformOutput, TerraformStack } from 'cdktn';

const { configurations, diagnostics } = await loadConfig(import.meta.dirname);
const [configuration] = configurations;
if (!configuration) throw new Error(diagnostics.map(({ message }) => message).join('\n'));

const client = createServiceClient({
  address: new URL(process.env.ATTUNE_ADDRESS),
  token: process.env.ATTUNE_TOKEN,
});
const read = await readConfiguration(configuration, client);
await client.close();

const app = new App();
const stack = new TerraformStack(app, 'acme');
const { unsupported } = new WorkspaceConfiguration(stack, 'workspaces', read);
new TerraformOutput(stack, 'network', { value: '$' + '{tfe_workspace.network.id}' });
app.synth();

for (const { message } of unsupported) console.error(message);
