import type { Block } from './blocks.ts';
import { countTokens } from './count-tokens.ts';
import { cutSentences } from './cut-text.ts';
import { aim, bound, isWithin, type Size, sum } from './sizes.ts';
import { type Unit, unitsOf } from './units.ts';

export interface Packed {
  /** Repeated from the previous chunk, with its separator. */
  overlap: string;
  own: string;
}

/** A chunk that is this full may end after a paragraph although there is room. */
const full = 800;
/** Or half as full, if that keeps the next block whole. */
const enough = 400;
/** The end of a section is too short for a chunk of its own below this. */
const remnant = 200;
const betweenBlocks: Size = { characters: 2, tokens: 1 };
const none: Size = { characters: 0, tokens: 0 };

/** Fills chunks with the blocks of one section, in order. */
export function packSection(blocks: readonly Block[]): Packed[] {
  const units = blocks.flatMap(unitsOf).filter(({ text }) => text.trim() !== '');
  const packed: Packed[] = [];
  let overlap = '';
  for (let from = 0; from < units.length; ) {
    let start = overlap === '' ? none : { characters: overlap.length, tokens: countTokens(overlap) };
    if (!isWithin(sum(start, needOf(units, from, from)), aim)) [overlap, start] = ['', none];
    const end = chooseEnd(units, from, start);
    const own = join(units.slice(from, end));
    packed.push({ overlap, own });
    overlap = end < units.length ? overlapBetween(units, end, own) : '';
    from = end;
  }
  return packed;
}

/** The size of a unit in a chunk that begins with the unit at `from`. */
function needOf(units: readonly Unit[], from: number, at: number): Size {
  const unit = units[at] as Unit;
  const startsBlock = at === from || units[at - 1]?.block !== unit.block;
  const between = startsBlock ? betweenBlocks : { characters: unit.glue.length, tokens: 1 };
  return sum(unit.size, between, startsBlock ? unit.frame : none);
}

/** The index of the first unit that is not in the chunk. */
function chooseEnd(units: readonly Unit[], from: number, start: Size): number {
  let size = start;
  let end = from;
  let best = from;
  while (end < units.length) {
    const grown = sum(size, needOf(units, from, end));
    if (end > from && !isWithin(grown, aim)) break;
    size = grown;
    end += 1;
    if (isGoodEnd(units, end, size)) best = end;
  }
  const rest = restOf(units, from, end);
  if (rest && isWithin(sum(size, rest), bound)) return units.length;
  return best > from ? best : end;
}

/** The end between two blocks, if the chunk is full enough there. */
function isGoodEnd(units: readonly Unit[], end: number, { characters }: Size): boolean {
  const block = units[end]?.block;
  if (block === undefined || block === units[end - 1]?.block) return block === undefined;
  if (characters >= full) return true;
  const least = block.kind === 'code' || block.kind === 'table' ? 0 : enough;
  return characters >= least && staysWhole(units, end);
}

/** Whether the whole block that begins here fits into a chunk. */
function staysWhole(units: readonly Unit[], from: number): boolean {
  let size = none;
  for (let at = from; units[at] && units[at]?.block === units[from]?.block; at += 1) {
    size = sum(size, needOf(units, from, at));
    if (!isWithin(size, aim)) return false;
  }
  return true;
}

/** What is left of the section, when that is only a little. */
function restOf(units: readonly Unit[], from: number, at: number): Size | undefined {
  let size = none;
  for (let next = at; next < units.length; next += 1) {
    size = sum(size, needOf(units, from, next));
    if (size.characters > remnant) return undefined;
  }
  return size;
}

function join(units: readonly Unit[]): string {
  let text = '';
  for (const [index, unit] of units.entries()) {
    const { head, tail } = unit.block;
    const before = units[index - 1];
    if (before?.block !== unit.block) text += `${index === 0 ? '' : '\n\n'}${head === '' ? '' : `${head}\n`}`;
    else text += unit.glue;
    text += unit.text;
    if (tail !== '' && units[index + 1]?.block !== unit.block) text += `\n${tail}`;
  }
  return text.trimEnd();
}

/** No overlap for rows and code, which mean little on their own and would look like the beginning of the block. */
function overlapBetween(units: readonly Unit[], end: number, own: string): string {
  const [last, next] = [units[end - 1], units[end]];
  if (!last || !next || last.block.head !== '' || next.block.head !== '') return '';
  const overlap = overlapOf(own);
  if (overlap === '') return '';
  if (last.block !== next.block) return `${overlap}\n\n`;
  return overlap + (next.glue || ' ');
}

const longest = 200;
const fewWords = 120;

/** The end of a text that the next chunk begins with: its last sentence, or the last words of a long one. */
function overlapOf(text: string): string {
  const tail = text.trimEnd().slice(-longest);
  const sentences = cutSentences(tail);
  if (sentences.length > 1) return (sentences.at(-1) ?? '').trim();
  const words = tail.slice(-fewWords);
  const space = words.search(/\s\S/);
  return space === -1 ? '' : words.slice(space).trim();
}
