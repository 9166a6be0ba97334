/** What the program can read. flite knows no letters besides ASCII, and reads the bytes of others aloud or not at all. */
export type Alphabet = 'ascii' | 'unicode';

const spoken: Readonly<Record<string, string>> = {
  '€': ' euros ',
  '£': ' pounds ',
  '&': ' and ',
  '°': ' degrees ',
};
const plain: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '–': ', ',
  '—': ', ',
  '…': '...',
  ß: 'ss',
  æ: 'ae',
  Æ: 'Ae',
  œ: 'oe',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  ð: 'd',
  þ: 'th',
};

/** The text as a program can speak it; empty if there is nothing to speak. */
export function speakableText(text: string, alphabet: Alphabet): string {
  const visible = text
    .toWellFormed()
    .replace(
      /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u200d|\ufe0f|\u20e3|\p{Emoji_Modifier}/gu,
      ' ',
    )
    // Control, format and private characters, and what stands for broken ones.
    .replace(/\p{C}|\ufffd/gu, ' ')
    .replace(/[€£&°]/g, (sign) => spoken[sign] ?? ' ');
  const readable = alphabet === 'ascii' ? toAscii(visible) : visible;
  return /[\p{L}\p{N}]/u.test(readable) ? readable.replace(/\s+/g, ' ').trim() : '';
}

function toAscii(text: string): string {
  return text
    .replace(/[^\p{ASCII}]/gu, (character) => plain[character] ?? character)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{ASCII}]/gu, ' ');
}
