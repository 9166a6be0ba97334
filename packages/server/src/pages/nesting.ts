/** Elements that need no end tag, so that counting them says nothing about depth. */
const endsItself =
  /^(area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|p|li|dt|dd|td|th|tr|tbody|thead|tfoot|option|optgroup|colgroup|html|head|body)$/;

/**
 * An upper bound of a page's depth in one pass over its tags. Parsers take time that grows with the square of the depth, so
 * this comes before them.
 */
export function nestingOf(html: string, enough: number): number {
  const open = new Map<string, number>();
  let depth = 0;
  let deepest = 0;
  for (const [, slash, tag = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9-]{0,40})/gi)) {
    const name = tag.toLowerCase();
    if (endsItself.test(name)) continue;
    const count = open.get(name) ?? 0;
    if (slash === '' || count > 0) {
      depth += slash === '' ? 1 : -1;
      open.set(name, count + (slash === '' ? 1 : -1));
    }
    deepest = Math.max(deepest, depth);
    if (deepest > enough) break;
  }
  return deepest;
}
