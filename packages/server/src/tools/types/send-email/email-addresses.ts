export interface MailAddress {
  name: string;
  address: string;
}

/**
 * Plain addresses only: no quotes, comments or routes, because mail programs disagree about those and one address can be
 * made to look like another. A line break could start a second header.
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

/** Separated by commas; undefined when any of them is not an address. */
export function parseAddresses(text: string): MailAddress[] | undefined {
  const parsed = text.split(',').map(parseAddress);
  return parsed.every((one) => one !== undefined) ? parsed : undefined;
}
