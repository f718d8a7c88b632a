import type { HoldRules } from '../../model/hold.ts';
import type { RawFile } from '../schema/language.ts';
import { checkOverlaps, readException } from './exceptions.ts';
import { readWindow, type WindowContext } from './freeze-windows.ts';
import { checkRolloutIds, readRollout } from './rollouts.ts';

/** What reading the rules depends on. */
export interface HoldRulesContext extends WindowContext {
  /** The declared addresses. */
  readonly addresses: readonly string[];
}

/** The rules that hold changes back. Those with errors are left out. */
export function readHoldRules(
  { exceptions = [], freeze = [], rollouts = [] }: Pick<RawFile, 'exceptions' | 'freeze' | 'rollouts'>,
  context: HoldRulesContext,
): HoldRules {
  const read = {
    exceptions: exceptions.flatMap((raw) => readException(raw, context) ?? []),
    freeze: freeze.flatMap((raw) => readWindow(raw, context) ?? []),
    rollouts: rollouts.flatMap((raw) => readRollout(raw, context) ?? []),
  };
  checkOverlaps(read.exceptions, context);
  checkRolloutIds(read.rollouts, context);
  return read;
}
