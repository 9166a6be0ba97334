/**
 * Leads from a quote to its passage, on the page of its source. A passage is found by how it begins, because citations keep its
 * text and not its id.
 */
export function passageSearch(quote: string | undefined): { passage?: string } {
  return quote ? { passage: quote.slice(0, 120) } : {};
}
