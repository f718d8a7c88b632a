// The worker of `packAhead`: answers each text with what `packYaml` makes of it.
import { parentPort } from 'node:worker_threads';
import { packYaml } from './pack-yaml.ts';

parentPort?.on('message', (text: string) => {
  const packed = packYaml(text);
  parentPort?.postMessage(packed, packed ? [packed.nodes.buffer] : []);
});
