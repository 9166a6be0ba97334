/** `sip:user@host:port;parameters`, or `tel:number` with the number as its user. */
export interface SipUri {
  scheme: 'sip' | 'sips' | 'tel';
  user: string | undefined;
  host: string;
  port: number | undefined;
  parameters: ReadonlyMap<string, string>;
}

/** `"Name" <uri>;parameters`. */
export interface NameAddress {
  uri: string;
  parameters: ReadonlyMap<string, string>;
}

export interface Via {
  host: string;
  port: number | undefined;
  parameters: ReadonlyMap<string, string>;
}

/** Parts of the text between separators that are neither in quotes nor in angle brackets, trimmed. */
export function splitOutside(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  let isBracketed = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isQuoted && character === '\\') index += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === '<') isBracketed = true;
    else if (character === '>') isBracketed = false;
    else if (character === separator && !isBracketed) {
      parts.push(text.slice(start, index).trim());
      start = index + 1;
    }
  }
  parts.push(text.slice(start).trim());
  return parts;
}

export function parseUri(text: string): SipUri | undefined {
  const [, scheme = '', rest = ''] = /^(sips?|tel):(.+)$/i.exec(text.trim()) ?? [];
  if (scheme.toLowerCase() === 'tel') {
    const [number = '', ...parameters] = rest.split(';');
    return {
      scheme: 'tel',
      user: number,
      host: '',
      port: undefined,
      parameters: parseParameters(parameters),
    };
  }
  const at = rest.lastIndexOf('@');
  const [hostPort = '', ...parameters] = (rest.slice(at + 1).split('?')[0] ?? '').split(';');
  const target = parseHostPort(hostPort);
  if (scheme === '' || !target) return undefined;
  const user = at === -1 ? undefined : decode(rest.slice(0, at).split(':')[0] ?? '');
  return {
    scheme: scheme.toLowerCase() === 'sips' ? 'sips' : 'sip',
    user,
    ...target,
    parameters: parseParameters(parameters),
  };
}

export function parseNameAddress(text: string): NameAddress | undefined {
  // A quotation without end would hide the parameters.
  if (!/^(?:[^"]|"(?:[^"\\]|\\.)*")*$/s.test(text)) return undefined;
  const [first = '', ...parameters] = splitOutside(text, ';');
  const bracketed = /<([^<>]+)>\s*$/.exec(first)?.[1];
  const uri = bracketed ?? first;
  if (!/^[a-z][a-z0-9+.-]*:\S+$/i.test(uri)) return undefined;
  return { uri, parameters: parseParameters(parameters) };
}

export function parseVia(text: string): Via | undefined {
  const [first = '', ...parameters] = splitOutside(text, ';');
  const [, sentBy = ''] = /^SIP\s*\/\s*2\.0\s*\/\s*[A-Za-z]+\s+(\S+)$/i.exec(first) ?? [];
  const target = parseHostPort(sentBy);
  return target && { ...target, parameters: parseParameters(parameters) };
}

function parseHostPort(text: string): { host: string; port: number | undefined } | undefined {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[\w.-]+)(?:\s*:\s*(\d{1,5}))?$/i.exec(text) ?? [];
  if (host === undefined || Number(port ?? 1) > 65_535 || Number(port ?? 1) === 0) return undefined;
  return { host: host.toLowerCase(), port: port === undefined ? undefined : Number(port) };
}

function parseParameters(parts: string[]): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const part of parts) {
    const [, name = '', value = ''] = /^([^=\s]+)\s*(?:=\s*(.*))?$/s.exec(part) ?? [];
    if (name !== '') parameters.set(name.toLowerCase(), unquote(value));
  }
  return parameters;
}

export function unquote(value: string): string {
  return /^".*"$/s.test(value) ? value.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : value;
}

function decode(user: string): string {
  try {
    return decodeURIComponent(user);
  } catch {
    // Not escaped correctly: taken literally.
    return user;
  }
}

/** The user part of a URI that we write: nothing in it can end the URI early. */
export function encodeUser(user: string): string {
  return encodeURIComponent(user).replaceAll('%2B', '+');
}
