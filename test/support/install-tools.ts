import { fileURLToPath } from 'node:url';
import { install } from '../../scripts/install.mjs';

/** Installs what the integration tests run and `npm test` does not need: linters of packages and of the API, and a YAML language server. */
export function setup(): void {
  install(fileURLToPath(new URL('../../scripts/', import.meta.url)));
}
