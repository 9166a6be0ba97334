import { parseNameAddress, parseUri, type SipUri } from '../message/sip-addresses.ts';
import { headerOf, listOf, type ReceivedRequest } from '../message/sip-message.ts';

/** A longer user part is not a number. */
const maxLength = 64;

/** The number that is called. Trunks that we register with may call our account and put the number into another header. */
export function calledNumber(request: ReceivedRequest, username: string | undefined): string | undefined {
  const requested = numberOf(parseUri(request.uri));
  const called = addressNumber(headerOf(request, 'p-called-party-id'));
  const isNumber = (text: string | undefined) => text !== undefined && /^\+?\d{2,}$/.test(text);
  if (isNumber(requested) && requested !== username) return requested;
  return [called, numberOf(parseUri(request.to.uri)), requested].find(isNumber) ?? requested ?? called;
}

/** The number of the caller; null if that is withheld. */
export function callerNumber(request: ReceivedRequest): string | null {
  const privacy = headerOf(request, 'privacy') ?? '';
  if (/\b(id|user|full)\b/i.test(privacy)) return null;
  const asserted = listOf(request, 'p-asserted-identity').map(addressNumber);
  const number = asserted.find((value) => value !== undefined) ?? numberOf(parseUri(request.from.uri));
  return number ?? null;
}

function addressNumber(value: string | undefined): string | undefined {
  const address = parseNameAddress(value ?? '');
  return address && numberOf(parseUri(address.uri));
}

function numberOf(uri: SipUri | undefined): string | undefined {
  const user = uri?.user?.split(';')[0] ?? '';
  if (/^(anonymous|unavailable|restricted|unknown)?$/i.test(user)) return undefined;
  if (uri?.host === 'anonymous.invalid' || user.length > maxLength) return undefined;
  const digits = user.replaceAll(/[-.() ]/g, '');
  return /^\+?\d+$/.test(digits) ? digits : user;
}
