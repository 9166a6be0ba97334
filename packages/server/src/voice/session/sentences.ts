import { speakable } from './speakable.ts';

/** A piece of a reply. */
export interface SpokenPiece {
  /** With what separates it from the others: joined, the pieces are the reply. */
  text: string;
  /** As it is spoken; may be empty. */
  spoken: string;
}

/** Cuts a reply that is being written into pieces that are spoken one by one. */
export interface SentenceCutter {
  /** The pieces that are complete now. */
  push(text: string): SpokenPiece[];
  /** The rest. */
  flush(): SpokenPiece[];
}

/** A shorter piece is spoken together with the next one: single words sound chopped. */
const minCharacters = 12;
/** A sentence that does not end is cut at a comma or a space, so that its beginning can be heard. */
const maxCharacters = 200;
/** The same, in languages without spaces, where a character is a syllable or a word. */
const maxSpacelessCharacters = 80;
/** Code and addresses are not spoken: the beginning of what is longer stands for all of it. */
const maxSilentCharacters = 2_000;

const spaceless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const ends =
  /[.!?…]+["'”’»)\]]*(?=\s|\p{Lo})|[。！？｡؟۔।॥។။።]+["'”’」』》）)\]]*(?=[^。！？｡"'”’」』》）)\]])|\n+/gu;
const abbreviation =
  /(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|no|nr|vs|etc|e\.g|i\.e|z\.b|approx|inc|ltd|bzw|ca|usw|inkl|ggf|hr|fr|str|tel|mme|mlle|sr|sra|av|\p{L})\.$/iu;
/** A link or an address that has not ended yet. */
const openAddress = /(?:!?\[[^\]\n]*(?:\]\([^\s)]*)?|<?https?:\/\/\S*|www\.\S*)$/;
const openLink = /\[[^\]\n]*(?:\]\([^\s)]*)?$/;
const fence = '```';

export function createSentenceCutter(): SentenceCutter {
  let rest = '';
  /** What is being left out until it ends. */
  let silence: 'code' | 'address' | undefined;

  function take(length: number, spoken?: string): SpokenPiece {
    const text = rest.slice(0, length);
    rest = rest.slice(length);
    return { text, spoken: spoken ?? speakable(text) };
  }

  /** The next piece; undefined if it is not complete yet. */
  function next(): SpokenPiece | undefined {
    if (rest === '') return undefined;
    if (silence !== undefined) return nextSilent();
    const code = rest.indexOf(fence);
    const end = sentenceEnd(code === -1 ? rest : rest.slice(0, code));
    if (end !== undefined) return take(end);
    if (code > 0) return take(code);
    if (code === 0) {
      silence = 'code';
      return take(fence.length, '');
    }
    const [cut, isOpen] = longEnd(rest);
    if (isOpen) silence = 'address';
    return cut === undefined ? undefined : take(cut);
  }

  function nextSilent(): SpokenPiece | undefined {
    const end = silence === 'code' ? rest.indexOf(fence) + fence.length : rest.search(/[\s)]/) + 1;
    const hasEnded = end >= (silence === 'code' ? fence.length : 1);
    if (hasEnded) {
      silence = undefined;
      return take(end, '');
    }
    // Not all of it: what comes last may be the beginning of the end.
    return rest.length > maxSilentCharacters ? take(maxSilentCharacters - fence.length, '') : undefined;
  }

  return {
    push(text) {
      rest += text;
      const pieces: SpokenPiece[] = [];
      for (let piece = next(); piece !== undefined; piece = next()) pieces.push(piece);
      return pieces;
    },
    flush() {
      if (rest === '') return [];
      return [take(rest.length, silence === undefined ? undefined : '')];
    },
  };
}

function sentenceEnd(text: string): number | undefined {
  for (const { index, 0: mark } of text.matchAll(ends)) {
    const end = index + mark.length;
    const piece = text.slice(0, end);
    if (piece.trim().length < minCharacters && !/[。！？｡]/.test(mark)) continue;
    if (mark.startsWith('.') && (abbreviation.test(piece) || /\d\.$/.test(piece))) continue;
    if (!openLink.test(piece)) return end;
  }
  return undefined;
}

/** Where a text that does not end is cut, and whether that is within an address. */
function longEnd(text: string): [end: number | undefined, isInAddress: boolean] {
  const max = spaceless.test(text) ? maxSpacelessCharacters : maxCharacters;
  if (text.length < max) return [undefined, false];
  const long = text.slice(0, max);
  const address = openAddress.exec(long)?.index;
  if (address !== undefined && address > 0) return [address, false];
  if (address === 0) return addressEnd(text);
  const cuts = [/[,;](?=\s)|[，、；]/g, /(?=\s)/g].map((pattern) =>
    [...long.matchAll(pattern)]
      .map(({ index, 0: mark }) => index + mark.length)
      .findLast((cut) => cut >= minCharacters && !openAddress.test(long.slice(0, cut))),
  );
  // Not between the two halves of a character.
  const hard = /[\ud800-\udbff]$/.test(long) ? max - 1 : max;
  return [cuts[0] ?? cuts[1] ?? hard, false];
}

/** For a text that begins with a long address, or with a link. */
function addressEnd(text: string): [end: number | undefined, isInAddress: boolean] {
  const link = /^!?\[[^\]\n]*\](?:\([^\s)]*[\s)]|(?!\())|^[^\s[!]\S*(?=\s)/.exec(text)?.[0];
  const isWhole = link !== undefined && !openAddress.test(link);
  if (isWhole) return [link.length, false];
  return text.length < maxSilentCharacters ? [undefined, false] : [maxSilentCharacters, true];
}
