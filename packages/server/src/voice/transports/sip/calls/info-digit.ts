import { headerOf, type ReceivedRequest } from '../message/sip-message.ts';

/** The key that an INFO reports, in either of the two formats in use. */
export function infoDigit(request: Pick<ReceivedRequest, 'headers' | 'body'>): string | undefined {
  const type = (headerOf(request, 'content-type') ?? '').toLowerCase().split(';')[0]?.trim();
  const text = request.body.toString('utf8', 0, 256);
  if (type === 'application/dtmf') return keyOf(text.trim());
  if (type !== 'application/dtmf-relay') return undefined;
  return keyOf(/^\s*Signal\s*=\s*(\S+)/im.exec(text)?.[1] ?? '');
}

function keyOf(text: string): string | undefined {
  const number = /^\d{1,2}$/.test(text) ? Number(text) : undefined;
  if (number !== undefined) return '0123456789*#ABCD'[number];
  return /^[*#A-D]$/i.test(text) ? text.toUpperCase() : undefined;
}
