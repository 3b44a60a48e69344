/** Bearer tokens: three base64url parts like a JWT, valid until they expire by the service's clock. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

import { z } from 'zod';

const Claims = z.object({ exp: z.number() });

export interface Tokens {
  issue(subject: string): string;
  /** Whether this sandbox issued the token and it has not expired. */
  isValid(token: string): boolean;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

export function createTokens(now: () => Date, lifetimeSeconds: number): Tokens {
  const secret = randomBytes(32);
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest();
  return {
    issue(subject) {
      const issuedAt = Math.floor(now().getTime() / 1000);
      const head = encode({ alg: 'HS256', typ: 'JWT' });
      const claims = encode({
        sub: subject,
        iat: issuedAt,
        exp: issuedAt + lifetimeSeconds,
        jti: randomBytes(6).toString('hex'),
      });
      return `${head}.${claims}.${sign(`${head}.${claims}`).toString('base64url')}`;
    },
    isValid(token) {
      const [head, claims, signature, ...more] = token.split('.');
      if (head === undefined || claims === undefined || signature === undefined || more.length > 0)
        return false;
      const given = Buffer.from(signature, 'base64url');
      const right = sign(`${head}.${claims}`);
      if (given.length !== right.length || !timingSafeEqual(given, right)) return false;
      const { exp } = Claims.parse(JSON.parse(Buffer.from(claims, 'base64url').toString()));
      return now().getTime() < exp * 1000;
    },
  };
}
