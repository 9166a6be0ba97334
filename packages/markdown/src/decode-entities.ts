/** Those that models write, and what they stand for. Every other name stays as it is written. */
const named =
  'amp & lt < gt > quot " apos \' copy © reg ® trade ™ hellip … ndash – mdash — lsquo ‘ rsquo ’ ldquo “ rdquo ” bull • middot · euro € pound £ deg ° times × larr ← rarr → nbsp \u00a0'.split(
    ' ',
  );
/** Controls, halves of characters, and what makes text appear in another order. */
const unwanted = /^[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]$/u;

/** A text with `&amp;` as `&`, and `&#8364;` and `&#x20AC;` as `€`. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#(x[\da-f]{1,6})|(\w{2,8}));/gi, (entity, decimal, hex, name) => {
    if (name) return named[named.indexOf(name) + 1 || -1] ?? entity;
    const code = Number(decimal ?? `0${hex}`);
    const character = code < 0x110000 ? String.fromCodePoint(code) : '';
    return unwanted.test(character) ? '' : character;
  });
}
