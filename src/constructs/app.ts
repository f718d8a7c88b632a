import { RootConstruct } from 'constructs';
import type { Configuration } from '../desired/configuration.ts';
import { markCallSite } from './call-site.ts';
import { synthesize } from './synthesize.ts';

/** Where a program's files go. */
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
   * Writes a file for each organization, `<outdir>/<organization>.yaml`, which `attune` takes as it takes any root file,
   * and loads it. The same program writes the same bytes. Under `--app` the files go where that says, and mistakes are
   * told by the command that runs the program.
   *
   * @returns what a plan needs, one for each organization: the same as `loadConfig` of `attune` returns.
   * @throws {@link SynthesisError} with every rule that is broken: rule, construct path and line.
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
