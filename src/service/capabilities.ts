import { type Dialect, type Feature, featureNames, features } from '../model/dialect.ts';
import { NetworkError, ServiceError } from './service-error.ts';

/** What a service announces about itself in the headers of its answers. */
export interface Announced {
  /** `TFP-API-Version` */
  readonly apiVersion?: string | undefined;
  /** `TFP-AppName` */
  readonly appName?: string | undefined;
  /** `X-RateLimit-Limit` */
  readonly rateLimit?: string | undefined;
}

/** What a service offers, as far as the files declare it or its answers have shown it. */
export interface Capabilities {
  /** Whether a feature is missing. */
  lacks(feature: Feature): boolean;
  /** Whether the headers name an offering of the service that lacks a feature. */
  isExcluded(feature: Feature): boolean;
  /** The features that are known to be missing. */
  missing(): readonly Feature[];
  /**
   * An answer has shown that a feature is missing.
   *
   * @throws {@link NetworkError} if another answer has shown that the service offers it.
   */
  recordMissing(feature: Feature, answer?: ServiceError): void;
  /**
   * An answer has shown that the service offers a feature.
   *
   * @throws {@link NetworkError} if another answer has shown that it is missing.
   */
  recordOffered(feature: Feature): void;
  /**
   * That of the embedded service; else the dialect that the headers or an offered feature imply, `undefined` if they imply none. A
   * document is more reliable.
   */
  dialect(): Dialect | undefined;
  /** What the headers of the answers so far have announced. */
  announced(): Announced;
  /** Gets the headers of every answer. */
  readHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): void;
}

/** What an offering of the service lacks, by its name in the headers (interface, section 4.7). */
const lackedBy: Readonly<Record<string, readonly Feature[]>> = { 'HCP Terraform': ['data-retention'] };

export function createCapabilities(without: readonly Feature[] = [], embedded?: Dialect): Capabilities {
  const missing = new Set(without);
  const offered = new Set<Feature>();
  const answers = new Map<Feature, ServiceError>();
  let announced: Announced = {};
  const isExcluded = (feature: Feature) => lackedBy[announced.appName ?? '']?.includes(feature) === true;
  const lacks = (feature: Feature) => missing.has(feature) || isExcluded(feature);
  return {
    lacks,
    isExcluded,
    missing: () => featureNames.filter(lacks),
    recordMissing(feature, answer) {
      if (answer && offered.has(feature)) throw contradiction(answer, feature);
      missing.add(feature);
      if (answer) answers.set(feature, answer);
    },
    recordOffered(feature) {
      const answer = answers.get(feature);
      if (answer) throw contradiction(answer, feature);
      offered.add(feature);
    },
    // The header and key/value tags are part of the protocol that has the names of the terraform dialect.
    dialect: () =>
      embedded ??
      (announced.apiVersion === undefined && !offered.has('tag-bindings') ? undefined : 'terraform'),
    announced: () => announced,
    readHeaders(headers) {
      const names = ['tfp-api-version', 'tfp-appname', 'x-ratelimit-limit'];
      const [apiVersion, appName, rateLimit] = names.map((name) => headers[name]?.toString() || undefined);
      announced = {
        apiVersion: apiVersion ?? announced.apiVersion,
        appName: appName ?? announced.appName,
        rateLimit: rateLimit ?? announced.rateLimit,
      };
    },
  };
}

/**
 * Whether an answer shows that the service has no such endpoint: the router of a server answers in plain text or with a
 * page, the service itself with a JSON:API error (interface, section 7), which means that one object does not exist.
 */
export function isMissingEndpoint(error: unknown): error is ServiceError {
  return error instanceof ServiceError && [404, 405, 501].includes(error.status) && error.errors.length === 0;
}

/** A proxy can answer one request like a router that lacks the endpoint. */
function contradiction(answer: ServiceError, feature: Feature): NetworkError {
  const { status } = answer;
  const why = `answered ${status} without a JSON:API document, and other answers show that the service offers`;
  return new NetworkError(answer, `${why} ${features[feature]}`, {
    cause: answer,
    status,
    hint: 'check the proxy in front of the service, then run again',
  });
}

/** `undefined` where the service lacks the feature, which is recorded. */
export async function whereOffered<Result>(
  { capabilities }: { readonly capabilities: Capabilities },
  feature: Feature,
  read: () => Promise<Result>,
): Promise<Result | undefined> {
  if (capabilities.lacks(feature)) return undefined;
  try {
    const result = await read();
    capabilities.recordOffered(feature);
    return result;
  } catch (error) {
    if (!isMissingEndpoint(error)) throw error;
    capabilities.recordMissing(feature, error);
    return undefined;
  }
}
