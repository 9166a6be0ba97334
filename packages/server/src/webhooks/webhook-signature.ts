import { createHmac } from 'node:crypto';
import type { SecretBox } from '../secrets/secret-box.ts';

/** The secret that signs a bot's webhooks. It is derived, not stored, so it changes with the installation's key. */
export function webhookSecret(box: Pick<SecretBox, 'keyedHash'>, botId: string): string {
  return `whsec_${box.keyedHash(`approval webhook ${botId}`).toString('base64url')}`;
}

/** The time is part of what is signed, so that receivers can reject old deliveries. */
export function signature(secret: string, body: string, now: Date): string {
  const time = Math.floor(now.getTime() / 1000);
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
}
