import { createHmac, timingSafeEqual } from 'node:crypto';

/** Lets Twilio open the line of this call and of no other. */
export function streamToken(authToken: string, callId: string): string {
  return createHmac('sha256', authToken).update(`media stream of ${callId}`).digest('base64url');
}

export function isStreamToken(authToken: string, callId: string, token: string): boolean {
  const [given, expected] = [Buffer.from(token), Buffer.from(streamToken(authToken, callId))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
