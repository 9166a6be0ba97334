import { isRequest, type SipHeader, type SipMessage } from './sip-message.ts';

/** The bytes of a message, with its Content-Length. */
export function writeMessage(message: SipMessage): Buffer {
  const start = isRequest(message)
    ? `${message.method} ${oneLine(message.uri)} SIP/2.0`
    : `SIP/2.0 ${message.status} ${oneLine(message.reason)}`;
  const headers = message.headers.filter(({ name }) => name !== 'content-length');
  const lines = [start, ...headers.map(writeHeader), `Content-Length: ${message.body.length}`, '', ''];
  return Buffer.concat([Buffer.from(lines.join('\r\n')), message.body]);
}

function writeHeader({ name, value }: SipHeader): string {
  const written = unusualNames[name] ?? name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
  return `${written}: ${oneLine(value)}`;
}

/** Values that we repeat from others can never add a header. */
function oneLine(value: string): string {
  return value.replaceAll(/[\r\n]+/g, ' ');
}

const unusualNames: Readonly<Record<string, string>> = {
  'call-id': 'Call-ID',
  cseq: 'CSeq',
  'min-se': 'Min-SE',
  'www-authenticate': 'WWW-Authenticate',
};
