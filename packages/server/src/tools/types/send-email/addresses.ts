export interface MailAddress {
  name: string;
  address: string;
}

/**
 * Plain addresses only: no quotes, no comments, no routes. What mail programs read differently is how one address is
 * made to look like another, and a line break is how a header is made to hold two.
 */
const plain = String.raw`[\w.!#$%&'*+/=?^{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?`;
const address = new RegExp(`^${plain}$`);
const named = new RegExp(String.raw`^([^\p{Cc}<>"\\,;:@()]{0,200}?) ?<(${plain})>$`, 'u');

/** `person@example.com` or `Person <person@example.com>`; undefined when it is neither. */
export function parseAddress(text: string): MailAddress | undefined {
  const trimmed = text.trim();
  if (address.test(trimmed)) return { name: '', address: trimmed };
  const [, name, found] = named.exec(trimmed) ?? [];
  return found === undefined ? undefined : { name: name ?? '', address: found };
}

/** Separated by commas; undefined when any of them is none. */
export function parseAddresses(text: string): MailAddress[] | undefined {
  const parsed = text.split(',').map(parseAddress);
  return parsed.every((one) => one !== undefined) ? parsed : undefined;
}
