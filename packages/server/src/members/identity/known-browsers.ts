import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Services } from '../../services.ts';

export interface KnownBrowsersOptions extends Pick<Services, 'clock'> {
  /** Secret, and the same on all nodes. */
  keyedHash: (text: string) => Buffer;
  /** The cookie is sent over https only. */
  isSecure: boolean;
}

export type KnownBrowsers = ReturnType<typeof createKnownBrowsers>;

const knownSeconds = 180 * 86_400;
/** Browsers send it nowhere else. */
const path = '/api/console/sign-in';

/**
 * The browsers in which a person has signed in before. Each has a signed cookie for the account, with an id, so that its attempts
 * to sign in can be counted apart from those of strangers. The cookie does not sign anyone in.
 */
export function createKnownBrowsers({ keyedHash, isSecure, clock }: KnownBrowsersOptions) {
  // By account, since several people may use one browser.
  const nameFor = (email: string) =>
    `svc_browser_${keyedHash(`known browser of ${email}`).toString('hex').slice(0, 16)}`;
  const signatureOf = (email: string, id: string, expires: string) =>
    keyedHash(`known browser ${id} until ${expires} of ${email}`);

  return {
    /** The id of the browser; undefined if this person has not signed in with it, or long ago. */
    find(email: string, { cookie = '' }: IncomingHttpHeaders): string | undefined {
      const person = email.toLowerCase();
      const start = `${nameFor(person)}=`;
      const value = cookie
        .split(/; */)
        .find((pair) => pair.startsWith(start))
        ?.slice(start.length);
      const [id = '', expires = '', signature = ''] = value?.split('.') ?? [];
      const [given, expected] = [Buffer.from(signature, 'base64url'), signatureOf(person, id, expires)];
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      return Number(expires) * 1000 > clock.now().getTime() ? id : undefined;
    },

    /** For the browser in which the person has just signed in. Each time it gets a new id, and with it a new count. */
    cookieFor(email: string): string {
      const person = email.toLowerCase();
      const id = randomBytes(16).toString('base64url');
      const expires = String(Math.floor(clock.now().getTime() / 1000) + knownSeconds);
      const value = `${id}.${expires}.${signatureOf(person, id, expires).toString('base64url')}`;
      const attributes = `Max-Age=${knownSeconds}; Path=${path}; HttpOnly; SameSite=Strict`;
      return `${nameFor(person)}=${value}; ${attributes}${isSecure ? '; Secure' : ''}`;
    },
  };
}
