/** The error for a request without a usable answer, with its remedy. */
import { ServiceError } from '../ground/errors.js';

/** The class of an answer that is of no use, or of a missing answer (`AnswerClass`). */
interface Verdict {
  readonly kind: string;
  readonly reason: string;
  /** False if the request provably never left this machine. */
  readonly sent?: boolean;
  readonly cause?: unknown;
}

/** Returns the error for a request without a usable answer. */
export function unanswered(what: string, baseUrl: string, verdict: Verdict): ServiceError {
  const host = new URL(baseUrl).host;
  if (verdict.sent === false) {
    return unreachable(baseUrl, verdict.reason, verdict.cause);
  }
  if (verdict.kind === 'redirected') {
    return new ServiceError(
      `The service at ${host} redirects ${what} (${verdict.reason}), and redirects are not followed.`,
      {
        hint: 'Set base_url to the address that answers without a redirect.',
      },
    );
  }
  // A server that rejects E1 this way is not the messaging service; an HTML page comes from a proxy or another server.
  const foreign = verdict.kind === 'refused' || /HTML page|not complete JSON/.test(verdict.reason);
  return new ServiceError(`The service at ${host} gave no usable answer to ${what} (${verdict.reason}).`, {
    ...(foreign ? { hint: 'If this goes on, check base_url: it does not look like the service.' } : {}),
    ofRun: 'Nothing is lost; the next run asks again.',
    cause: verdict.cause,
  });
}

/** @param reason an error code such as ECONNREFUSED, or a text */
function unreachable(baseUrl: string, reason: string, cause: unknown): ServiceError {
  const { host } = new URL(baseUrl);
  const trouble = TROUBLES[reason];
  if (trouble !== undefined) {
    return new ServiceError(`The certificate of ${host} ${trouble.what} (${reason}).`, {
      hint: trouble.remedy,
      cause,
    });
  }
  return new ServiceError(`The service at ${host} cannot be reached (${reason}).`, {
    hint: HINTS[reason] ?? 'Check base_url and the network.',
    ofRun: 'Nothing is lost; the next run continues from here.',
    cause,
  });
}

const HINTS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'No address is known for that name. Check base_url and the network.',
  EAI_AGAIN: 'The name could not be looked up. Check the network and its name servers.',
  ECONNREFUSED: 'Nothing listens at that port. Check base_url.',
};

interface CertificateTrouble {
  /** Ends the sentence "The certificate of … ". */
  readonly what: string;
  readonly remedy: string;
}

const OTHER_ISSUER =
  'If the issuer is your own, name its certificate in NODE_EXTRA_CA_CERTS. If not, check base_url and what stands between this machine and the service.';

/** Error codes of a failed TLS handshake. */
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

/** True for an error code of a failed TLS handshake: no part of the request had been written. */
export function isOfCertificate(code: string): boolean {
  return code in TROUBLES;
}
