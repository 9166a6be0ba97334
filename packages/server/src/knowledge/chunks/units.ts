import type { Block } from './blocks.ts';
import { countTokens } from './count-tokens.ts';
import { cutSentences, findCut } from './cut-text.ts';
import { aim, isWithin, type Size } from './sizes.ts';

/** What is not divided any further: a sentence, an item, a row, a line of code, or a piece of one that is too long. */
export interface Unit {
  text: string;
  size: Size;
  /** What stands before it when the unit before is of the same block. */
  glue: '' | '\n';
  block: Block;
  /** Of what is repeated around parts of its block. */
  frame: Size;
}

/** A header that takes more is not worth repeating. */
const mostFrame: Size = { characters: 400, tokens: 120 };
const none: Size = { characters: 0, tokens: 0 };

/** Divides a block into units, none longer than a chunk with what is repeated around it. */
export function unitsOf(given: Block): Unit[] {
  const block = withUsableFrame(given);
  const frame = frameOf(block);
  const most: Size = { characters: aim.characters - frame.characters, tokens: aim.tokens - frame.tokens };
  return block.parts.flatMap((part) => {
    const texts = block.kind === 'paragraph' ? cutSentences(part) : [part];
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
  if (length <= mostFrame.characters && isWithin(frameOf(block), mostFrame)) return block;
  return { ...block, head: '', parts: [...block.head.split('\n'), ...block.parts], tail: '' };
}

function cutToSize(text: string, most: Size): { text: string; size: Size }[] {
  const pieces: { text: string; size: Size }[] = [];
  for (let from = 0; from < text.length; ) {
    let room = most.characters;
    let piece = '';
    let size: Size;
    do {
      const cut = findCut(text, from, Math.floor(room / 2), room);
      piece = text.slice(from, cut);
      size = { characters: piece.length, tokens: countTokens(piece) };
      room = Math.max(1, Math.floor((Math.min(room, piece.length) * most.tokens * 0.95) / size.tokens));
    } while (!isWithin(size, most) && piece.length > 2);
    pieces.push({ text: piece, size });
    from += piece.length;
  }
  return pieces;
}
