import { quotation } from '../../lib/without-quotation.ts';

/** A text as it is spoken: without markdown, addresses, code and pictures. May be empty. */
export function speakable(text: string): string {
  return (
    text
      .replace(/```[\s\S]*?(```|$)/g, ' ')
      .replace(/!\[([^\]]*)\](?:\([^)]*\)|\(\S*$)/g, ' $1 ')
      .replace(/\[([^\]]+)\](?:\([^)]*\)|\(\S*$|\[[^\]]*\])/g, '$1')
      // Sources, footnotes and boxes to tick.
      .replace(/ ?\[(?:\^?\d{1,3}(?:, ?\d{1,3}){0,9}|[ xX])\]/g, '')
      .replace(
        /<?(?:https?:\/\/(?:www\.)?|\bwww\.)([^\s/?#>)]+)([^\s>)]*)>?/g,
        (_all, host: string, path: string) => host + (/[.,;:!?]$/.exec(path)?.[0] ?? ''),
      )
      .replace(/<?\bmailto:([^\s>)]+)>?|<([^\s<>@]+@[^\s<>@]+)>/g, '$1$2')
      .replace(quotation, '')
      .replace(/^\s{0,3}(#{1,6}|[-*+]|\d{1,3}[.)])\s+/gm, '')
      .replace(/^[\s:|*_=-]+$/gm, ' ')
      .replace(/\|/g, ', ')
      .replace(/(\*\*|__|~~|`)/g, '')
      .replace(/(^|[\s("'])[*_](?=\S)|(?<=[^\s\\])[*_](?=[\s.,;:!?)"']|$)/g, '$1')
      .replace(/\\([!-/:-@[-`{-~])/g, '$1')
      .replace(/<\/?[a-zA-Z][^<>]*>/g, ' ')
      .replace(
        /\p{Extended_Pictographic}[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u200d]*|[\p{Regional_Indicator}\p{Emoji_Modifier}\ufe0f\u20e3]/gu,
        ' ',
      )
      .replace(/\p{Cc}+/gu, ' ')
      .replace(/\s+/g, ' ')
      .replace(/ (?=[.,;:!?])/g, '')
      .replace(/,[, ]*(?=,)|^[, ]+|[, ]+$/g, '')
  );
}

/** Whether there is anything to say in it. */
export function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}
