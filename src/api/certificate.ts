/** What Node's codes for a certificate that it does not accept mean. Pure. */

export interface CertificateTrouble {
  /** Ends the sentence "The certificate of … ". */
  readonly what: string;
  readonly remedy: string;
}

const OTHER_ISSUER =
  'If the issuer is your own, name its certificate in NODE_EXTRA_CA_CERTS. If not, check base_url and what stands between this machine and the service.';

const TROUBLES: Readonly<Record<string, CertificateTrouble>> = {
  CERT_HAS_EXPIRED: {
    what: 'has expired',
    remedy:
      'Check this machine’s clock. If it is right, the operator of the service has to renew the certificate.',
  },
  CERT_NOT_YET_VALID: { what: 'is not valid yet', remedy: 'Check this machine’s clock.' },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    what: 'is for another name',
    remedy: 'Correct the host in base_url: it has to be a name that the certificate holds.',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: { what: 'is signed by itself', remedy: OTHER_ISSUER },
  SELF_SIGNED_CERT_IN_CHAIN: { what: 'comes from an unknown issuer', remedy: OTHER_ISSUER },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { what: 'comes from an unknown issuer', remedy: OTHER_ISSUER },
  UNABLE_TO_GET_ISSUER_CERT: { what: 'comes from an unknown issuer', remedy: OTHER_ISSUER },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { what: 'comes from an unknown issuer', remedy: OTHER_ISSUER },
  CERT_REVOKED: { what: 'was revoked', remedy: 'Ask the operator of the service for a new certificate.' },
};

/** Why a certificate is not accepted, and what to do; undefined for any other code. */
export function certificateTrouble(code: string): CertificateTrouble | undefined {
  return TROUBLES[code];
}

/** Codes of a handshake that failed: nothing of a request had been written. */
export const CERTIFICATE_CODES: readonly string[] = Object.keys(TROUBLES);
