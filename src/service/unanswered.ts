/** The error for a request without a usable answer, with its remedy. */
import { ServiceError } from '../ground/errors.js';

/** The class of an answer that is of no use, or of a missing answer (`AnswerClass`). */
interface Verdict {
  readonly kind: string;
  /** An error code such as ECONNREFUSED, or a text, if there is no answer. */
  readonly reason: string;
  /** False if the request provably never left this machine. */
  readonly sent?: boolean;
  readonly cause?: unknown;
}

/** Returns the error for a request without a usable answer. */
export function unanswered(what: string, baseUrl: string, verdict: Verdict): ServiceError {
  const { host } = new URL(baseUrl);
  const { kind, reason, sent, cause } = verdict;
  const error = (message: string, hint: string): ServiceError => new ServiceError(message, { hint, cause });
  if (sent === false)
    return isOfCertificate(reason)
      ? error(`The certificate of ${host} is not accepted (${reason}).`, CERTIFICATE)
      : error(
          `The service at ${host} cannot be reached (${reason}).`,
          HINTS[reason] ?? 'Check base_url and the network.',
        );
  if (kind === 'redirected')
    return error(
      `The service at ${host} redirects ${what} (${reason}), and redirects are not followed.`,
      'Set base_url to the address that answers without a redirect.',
    );
  // A server that rejects E1 this way is not the messaging service; an HTML page comes from a proxy or another server.
  const isForeign = kind === 'refused' || /HTML page|not complete JSON/.test(reason);
  return error(
    `The service at ${host} gave no usable answer to ${what} (${reason}).`,
    isForeign
      ? 'If this goes on, check base_url: it does not look like the service.'
      : 'Try again later. If it goes on, ask the operator of the service.',
  );
}

const HINTS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'No address is known for that name. Check base_url and the network.',
  EAI_AGAIN: 'The name could not be looked up. Check the network and its name servers.',
  ECONNREFUSED: 'Nothing listens at that port. Check base_url, and HTTPS_PROXY or HTTP_PROXY where set.',
};

const CERTIFICATE =
  'Check base_url and this machine’s clock. If the issuer is your own, name its certificate in NODE_EXTRA_CA_CERTS. If not, ask what stands between this machine and the service.';

/** The error codes of a failed TLS handshake. */
const OF_CERTIFICATE = new Set([
  ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REVOKED', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
]);

/** True for an error code of a failed TLS handshake: no part of the request had been written. */
export function isOfCertificate(code: string): boolean {
  return OF_CERTIFICATE.has(code);
}
