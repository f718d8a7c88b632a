import type { Live } from '../../live/read-live.ts';
import type { Configuration } from '../../model/configuration.ts';
import type { Plan } from '../../model/plan.ts';
import type { Difference } from '../diff.ts';
import { noLongerDeclared, type StopsDeclaring } from './no-longer-declared.ts';

interface Compared extends Pick<StopsDeclaring, 'chosen'> {
  readonly live: Live;
  readonly difference: Pick<Difference, 'changes'>;
}

/** What a plan records of its comparison with a base. */
export function comparedWithBase(
  configuration: Pick<Configuration, 'desired' | 'base'>,
  { live, difference: { changes }, chosen }: Compared,
): Pick<Plan, 'base' | 'noLongerDeclared'> {
  const { base, desired } = configuration;
  if (base === undefined) return {};
  const { ref, commit, onlyChanged, declared } = base;
  return {
    base: {
      ref,
      ...(commit !== undefined && { commit }),
      ...(onlyChanged && { onlyChanged }),
    },
    ...(declared && {
      noLongerDeclared: noLongerDeclared({ ...base, desired, declared }, { live, changes, chosen }),
    }),
  };
}
