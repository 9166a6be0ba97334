/** A text as it is spoken: without markdown, addresses, code and pictures. May be empty. */
export function speakable(text: string): string {
  return text
    .replace(/```[\s\S]*?(```|$)/g, ' ')
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, ' $1 ')
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/<?https?:\/\/(?:www\.)?([^\s/>)]+)[^\s>)]*>?/g, '$1')
    .replace(/^\s{0,3}(#{1,6}|>|[-*+]|\d{1,3}[.)])\s+/gm, '')
    .replace(/^[\s:|*_=-]+$/gm, ' ')
    .replace(/\|/g, ', ')
    .replace(/(\*\*|__|~~|`)/g, '')
    .replace(/(^|[\s("'])[*_](?=\S)|(?<=\S)[*_](?=[\s.,;:!?)"']|$)/g, '$1')
    .replace(/<\/?[a-zA-Z][^<>]*>/g, ' ')
    .replace(/\p{Extended_Pictographic}(️|‍\p{Extended_Pictographic})*/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.,;:!?])/g, '')
    .replace(/,[, ]*(?=,)|^[, ]+|[, ]+$/g, '');
}

/** Whether there is anything to say in it. */
export function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}
