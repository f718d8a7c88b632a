import type { Value } from '../model/value.ts';
import type { EndingProps } from './access-props.ts';
import type { WorkspaceSelector } from './workspace.ts';

/** A known difference of one field until a date. It is listed, and not written. */
export interface ExceptionProps extends Required<EndingProps> {
  /** The address that differs; `*` is any run of characters, `?` is one character. */
  readonly address: string;
  /** The field that differs, as plans show it: `auto-apply`. */
  readonly field: string;
  /** The live value that is known. @default every value */
  readonly value?: Value;
}

/** A time in which nothing is written: `from` and `to`, or `cron` and `for`. */
export interface FreezeProps {
  /** The first day, in UTC, or a time with its zone. */
  readonly from?: string;
  /** The last day, in UTC, or a time with its zone. */
  readonly to?: string;
  /** When each period starts: minute, hour, day of month, month, day of week. */
  readonly cron?: string;
  /** How long each period lasts: a number and `m`, `h`, `d` or `w`. */
  readonly for?: string;
  /** The time zone of `cron`. @default 'UTC' */
  readonly timezone?: string;
  readonly reason: string;
  /** The workspaces that are not written. @default everything */
  readonly select?: WorkspaceSelector;
}

/** Fields whose changes reach the workspaces of a wave after those of the earlier waves. */
export interface RolloutProps {
  /** Unique, in kebab-case. */
  readonly id: string;
  /** Attributes of workspaces with one value each, as plans show them: `iac-version`. */
  readonly fields: readonly string[];
  /** First wave first; `rest` is every workspace of no other wave. */
  readonly waves: readonly (WorkspaceSelector | 'rest')[];
  /** Whether a wave also waits for healthy current runs of the earlier waves. */
  readonly healthy?: 'current-run';
}
