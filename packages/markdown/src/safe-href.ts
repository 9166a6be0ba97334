const protocols = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/** The address to link to, or undefined for one that a message must not lead to, such as `javascript:` or a relative one. */
export function safeHref(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  // A name before the host looks like the host: https://bank.example@elsewhere.example
  if (!protocols.has(url.protocol) || url.username) return undefined;
  return url.protocol === 'tel:' ? url.href.replace(/\s|%20/g, '') : url.href;
}
