import { RootConstruct } from 'constructs';
import type { Configuration } from '../desired/configuration.ts';
import { markCallSite } from './call-site.ts';
import { synthesize } from './synthesize.ts';

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
