/** The digest of the files that a build reads. */
export function buildDigest(root: string): string;
