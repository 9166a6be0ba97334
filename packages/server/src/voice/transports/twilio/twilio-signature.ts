import { createHmac, timingSafeEqual } from 'node:crypto';

/** The fields of a form; a name can have several values. */
export type FormFields = ReadonlyMap<string, readonly string[]>;

/** Twilio signs the address that it requests, followed by the sorted fields of the form. */
export function signatureOf(authToken: string, url: string, fields: FormFields): string {
  const names = [...fields.keys()].toSorted();
  const text = names.flatMap((name) =>
    [...new Set(fields.get(name))].toSorted().map((value) => name + value),
  );
  return createHmac('sha1', authToken)
    .update(url + text.join(''))
    .digest('base64');
}

/** Whether Twilio has signed a request to one of these addresses. */
export function isSigned(
  authToken: string,
  signature: string,
  urls: readonly string[],
  fields: FormFields = new Map(),
): boolean {
  const given = Buffer.from(signature);
  // All are compared, so that the time says nothing about which one matches.
  const matches = urls.map((url) => isSame(given, Buffer.from(signatureOf(authToken, url, fields))));
  return matches.includes(true);
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Lets Twilio open the line of this call and of no other. */
export function streamToken(authToken: string, callId: string): string {
  return createHmac('sha256', authToken).update(`media stream of ${callId}`).digest('base64url');
}

export function isStreamToken(authToken: string, callId: string, token: string): boolean {
  return isSame(Buffer.from(token), Buffer.from(streamToken(authToken, callId)));
}

/** Some of Twilio's systems sign the standard port too, and some leave out a port that is not. */
export function webhookUrls(publicUrl: string, pathAndQuery: string): string[] {
  return withAndWithoutPort(publicUrl).map((base) => base + pathAndQuery);
}

/** Handshakes are signed by the address of the stream, in the form of a WebSocket or of a request, sometimes with a slash. */
export function socketUrls(publicUrl: string, path: string): string[] {
  const bases = withAndWithoutPort(publicUrl).flatMap((base) => [socketBase(base), base]);
  return bases.flatMap((base) => [base + path, `${base}${path}/`]);
}

export function socketBase(publicUrl: string): string {
  return publicUrl.replace(/^http/i, 'ws');
}

function withAndWithoutPort(publicUrl: string): string[] {
  const base = publicUrl.replace(/\/+$/, '');
  const [, scheme = '', host = '', port, path = ''] =
    /^(https?:\/\/)(\[[^\]]*\]|[^:/]+)(:\d+)?(.*)$/i.exec(base) ?? [];
  const standard = scheme.toLowerCase() === 'https://' ? ':443' : ':80';
  return [base, port === undefined ? scheme + host + standard + path : scheme + host + path];
}
