import { speakable } from './speakable.ts';

/** A piece of a reply. */
export interface SpokenPiece {
  /** Including separators, so that the joined pieces are the whole reply. */
  text: string;
  /** As it is spoken; may be empty. */
  spoken: string;
}

/** The end of a reply that is being written, which is not spoken yet. */
export interface Unspoken {
  rest: string;
  /** What is left out until it ends. */
  silence?: 'code' | 'address' | undefined;
}

/** A shorter piece is spoken together with the next one: single words sound chopped. */
const minCharacters = 12;
/** A sentence that does not end is cut at a comma or a space, so that its beginning can be heard. */
const maxCharacters = 200;
/** The same, in languages without spaces, where a character is a syllable or a word. */
const maxSpacelessCharacters = 80;
/** Code and addresses are not spoken; longer ones are skipped in parts of this length. */
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

/** Cuts a reply into pieces that are spoken one by one: those that are complete now. With `isEnd`, all of it. */
export function cutSentences(
  before: Unspoken,
  text: string,
  isEnd = false,
): { pieces: SpokenPiece[]; unspoken: Unspoken } {
  let unspoken: Unspoken = { ...before, rest: before.rest + text };
  const pieces: SpokenPiece[] = [];
  for (let cut = nextCut(unspoken); cut !== undefined; cut = nextCut(unspoken)) {
    const piece = unspoken.rest.slice(0, cut.length);
    pieces.push({ text: piece, spoken: cut.isSilent ? '' : speakable(piece) });
    unspoken = { rest: unspoken.rest.slice(cut.length), silence: cut.silence };
  }
  if (!isEnd || unspoken.rest === '') return { pieces, unspoken };
  const spoken = unspoken.silence === undefined ? speakable(unspoken.rest) : '';
  return { pieces: [...pieces, { text: unspoken.rest, spoken }], unspoken: { rest: '' } };
}

interface Cut {
  length: number;
  isSilent?: boolean;
  /** What begins or continues after it. */
  silence?: Unspoken['silence'];
}

/** Where the next piece ends; undefined if it is not complete yet. */
function nextCut({ rest, silence }: Unspoken): Cut | undefined {
  if (rest === '') return undefined;
  if (silence !== undefined) return silentCut(rest, silence);
  const code = rest.indexOf(fence);
  const end = sentenceEnd(code === -1 ? rest : rest.slice(0, code));
  if (end !== undefined) return { length: end };
  if (code > 0) return { length: code };
  if (code === 0) return { length: fence.length, isSilent: true, silence: 'code' };
  const [cut, isInAddress] = longEnd(rest);
  return cut === undefined ? undefined : { length: cut, silence: isInAddress ? 'address' : undefined };
}

function silentCut(rest: string, silence: 'code' | 'address'): Cut | undefined {
  const end = silence === 'code' ? rest.indexOf(fence) + fence.length : rest.search(/[\s)]/) + 1;
  const hasEnded = end >= (silence === 'code' ? fence.length : 1);
  if (hasEnded) return { length: end, isSilent: true };
  // Not all of it: what comes last may be the beginning of the end.
  return rest.length > maxSilentCharacters
    ? { length: maxSilentCharacters - fence.length, isSilent: true, silence }
    : undefined;
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
