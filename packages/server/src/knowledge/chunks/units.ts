import type { Block } from './blocks.ts';
import { countTokens } from './count-tokens.ts';
import { cutSentences, findCut } from './cut-text.ts';
import { aim, isWithin, type Size } from './sizes.ts';

/** The smallest part of a block: a sentence, an item, a row, a line of code, or a piece of one that is too long. */
export interface Unit {
  text: string;
  size: Size;
  /** The separator before it when the previous unit is of the same block. */
  glue: '' | '\n';
  block: Block;
  /** The size of what is repeated around parts of its block. */
  frame: Size;
}

/** A larger header is not worth repeating. */
const maxFrame: Size = { characters: 400, tokens: 120 };
/** A few words are not counted on their own. */
const shortest = 60;
const none: Size = { characters: 0, tokens: 0 };

/** Divides a block into units, each of which fits into a chunk together with what is repeated around it. */
export function unitsOf(given: Block): Unit[] {
  const block = withUsableFrame(given);
  const frame = frameOf(block);
  const most: Size = { characters: aim.characters - frame.characters, tokens: aim.tokens - frame.tokens };
  return block.parts.flatMap((part) => {
    const texts = block.kind === 'paragraph' ? cutSentences(part, shortest) : [part];
    return texts.flatMap((text, sentence) =>
      cutToSize(text, most).map(
        (piece, index): Unit => ({
          text: piece.text,
          size: piece.size,
          glue: sentence === 0 && index === 0 ? '\n' : '',
          block,
          frame,
        }),
      ),
    );
  });
}

function frameOf({ head, tail }: Block): Size {
  const text = [head, tail].filter(Boolean).join('\n');
  return text === '' ? none : { characters: text.length + 2, tokens: countTokens(text) + 2 };
}

function withUsableFrame(block: Block): Block {
  const length = block.head.length + block.tail.length;
  if (length <= maxFrame.characters && isWithin(frameOf(block), maxFrame)) return block;
  return { ...block, head: '', parts: [...block.head.split('\n'), ...block.parts], tail: '' };
}

interface Piece {
  text: string;
  size: Size;
}

function cutToSize(text: string, most: Size): Piece[] {
  const pieces: Piece[] = [];
  // What fitted before will fit again, because most texts are uniform.
  let room = most.characters;
  for (let from = 0; from < text.length; ) {
    const piece = cutOne(text, from, Math.min(room, most.characters), most);
    pieces.push(piece);
    from += piece.text.length;
    room = Math.ceil((piece.text.length * most.tokens) / piece.size.tokens);
  }
  return pieces;
}

/** Cuts shorter and shorter pieces until one fits; a single character always does. */
function cutOne(text: string, from: number, most: number, limit: Size): Piece {
  const cut = findCut(text, from, Math.floor(most / 2), most);
  const piece = text.slice(from, cut);
  const size = { characters: piece.length, tokens: countTokens(piece) };
  if (isWithin(size, limit) || piece.length <= 2) return { text: piece, size };
  const less = Math.floor((piece.length * limit.tokens * 0.95) / size.tokens);
  return cutOne(text, from, Math.max(1, Math.min(less, most - 1)), limit);
}
