import type { IConstruct } from 'constructs';
import type { CallSite } from './call-site.ts';

/** Where a value comes from: a construct, and the line that it was given at. */
export interface Origin {
  readonly construct: IConstruct;
  readonly site: CallSite;
}

/** A value that was not given where the construct around it was made. */
export class Placed<T> {
  readonly value: T;
  readonly origin: Origin;

  constructor(value: T, origin: Origin) {
    this.value = value;
    this.origin = origin;
  }
}
