/** Elements whose content is not read. */
const silent = /^(title|script|style|template|svg|noscript|iframe|object|head|math|canvas|select)$/;
const breaking =
  /^(p|div|br|li|ul|ol|tr|table|h[1-6]|section|article|header|footer|main|aside|nav|blockquote|pre|dt|dd|hr|form|figure)$/;
const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** Much more than is ever shown. */
const usualPieces = 100_000;

/**
 * The text of a page without parsing it: one pass over the characters, so that no page takes long. It is for pages that are
 * too large or too broken for a parser. Text and tags beyond the given number of pieces are ignored.
 */
export function pageText(html: string, maxPieces = usualPieces): string {
  const parts: string[] = [];
  let position = 0;
  while (position < html.length && parts.length < maxPieces) {
    const open = html.indexOf('<', position);
    parts.push(html.slice(position, open === -1 ? html.length : open));
    if (open === -1) break;
    const tag = /^<(\/?)([a-z][a-z0-9]*)/i.exec(html.slice(open, open + 40));
    const name = tag?.[2]?.toLowerCase() ?? '';
    if (breaking.test(name)) parts.push('\n');
    const opensSilence = tag?.[1] === '' && silent.test(name);
    position = opensSilence ? afterElement(html, open, name) : afterTag(html, open, tag !== null);
    // A lone `<` is text.
    if (position === open + 1) parts.push('<');
  }
  return decodeEntities(parts.join(''))
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** Removes what is never shown and leaves the rest unchanged. */
export function withoutSilentParts(html: string): string {
  const parts: string[] = [];
  let position = 0;
  for (const match of html.matchAll(/<(script|style|template|svg|noscript|iframe)(?=[\s/>])|<!--/gi)) {
    if (match.index < position) continue;
    parts.push(html.slice(position, match.index));
    position = match[1]
      ? afterElement(html, match.index, match[1].toLowerCase())
      : afterTag(html, match.index, false);
  }
  parts.push(html.slice(position));
  return parts.join('');
}

/** The content of its title element. */
export function pageTitle(html: string): string {
  return pageText(/<title[^>]{0,200}>([^<]{0,500})/i.exec(html)?.[1] ?? '');
}

function afterElement(html: string, open: number, name: string): number {
  const end = indexOfClosing(html, open, name);
  return end === -1 ? html.length : afterTag(html, end, true);
}

function indexOfClosing(html: string, from: number, name: string): number {
  const closing = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? -1;
}

function afterTag(html: string, open: number, isTag: boolean): number {
  const isComment = html.startsWith('<!--', open);
  const isMarkup = isTag || isComment || /^<[!?]/.test(html.slice(open, open + 2));
  if (!isMarkup) return open + 1;
  const end = html.indexOf(isComment ? '-->' : '>', open);
  return end === -1 ? html.length : end + (isComment ? 3 : 1);
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
    if (name) return entities[String(name).toLowerCase()] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : '';
  });
}
