/** The error for a service that no connection leads to. */
import { ServiceError } from '../errors.js';
import { certificateTrouble } from './certificate.js';

/** @param reason a code such as ECONNREFUSED, or words */
export function unreachable(baseUrl: string, reason: string, cause: unknown): ServiceError {
  const { host } = new URL(baseUrl);
  const trouble = certificateTrouble(reason);
  if (trouble !== undefined) {
    return new ServiceError(`The certificate of ${host} ${trouble.what} (${reason}).`, {
      hint: trouble.remedy,
      cause,
    });
  }
  return new ServiceError(`The service at ${host} cannot be reached (${reason}).`, {
    hint: `${HINTS[reason] ?? 'Check base_url and the network.'} Nothing is lost; the next run continues from here.`,
    cause,
  });
}

const HINTS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'No address is known for that name. Check base_url and the network.',
  EAI_AGAIN: 'The name could not be looked up. Check the network and its name servers.',
  ECONNREFUSED: 'Nothing listens at that port. Check base_url.',
};
