const untrusted: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its chain ends in a self-signed certificate that is not a known CA',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate of its issuer is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate of its issuer is not known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the server does not send the certificate of its issuer',
  CERT_UNTRUSTED: 'its CA is not trusted',
  INVALID_CA: 'its issuer is not a CA',
};
const outOfDate: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  CERT_REVOKED: 'was revoked',
};

/** Why a TLS connection was refused, and what the user can do; `undefined` for any other error. */
export function certificateFailure(
  error: unknown,
  host: string,
): { readonly reason: string; readonly hint: string } | undefined {
  // A DOMException has a number as its code.
  const { code: found, message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  const code = String(found ?? '');
  if (Object.hasOwn(untrusted, code)) {
    return {
      reason: `the TLS certificate of ${host} is not trusted: ${untrusted[code]} (${code})`,
      hint: 'set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of the CA that issued it',
    };
  }
  if (Object.hasOwn(outOfDate, code)) {
    return {
      reason: `the TLS certificate of ${host} ${outOfDate[code]} (${code})`,
      hint: `replace the certificate of ${host}, or correct the clock of this machine`,
    };
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const { cert } = error as { cert?: { subjectaltname?: string } };
    const names = cert?.subjectaltname ? ` (it is for ${cert.subjectaltname})` : '';
    return {
      reason: `the TLS certificate of ${host} is for another host${names}`,
      hint: 'set the address to a host name that the certificate contains',
    };
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    const why = /:(?:SSL routines:[^:]*:)?([a-z][a-z0-9 ]+):/i.exec(message)?.[1] ?? code;
    return {
      reason: `no TLS connection to ${host}: ${why}`,
      hint: `check that ${host} serves https on that port and supports TLS 1.2 or later`,
    };
  }
  return undefined;
}
