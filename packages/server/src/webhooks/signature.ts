import { createHmac } from 'node:crypto';
import type { SecretBox } from '../secrets/secret-box.ts';

/** What a bot's webhooks are signed with. Derived, not stored: it changes with the installation's key. */
export function webhookSecret(box: Pick<SecretBox, 'keyedHash'>, botId: string): string {
  return `whsec_${box.keyedHash(`approval webhook ${botId}`).toString('base64url')}`;
}

/** With the time inside what is signed, so that a receiver can refuse what is old. */
export function signature(secret: string, body: string, now: Date): string {
  const time = Math.floor(now.getTime() / 1000);
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
}
