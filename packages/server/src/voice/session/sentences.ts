/** Cuts a reply that is being written into pieces that are spoken one by one. */
export interface SentenceCutter {
  /** The pieces that are complete now, with what separates them: joined, they are the reply. */
  push(text: string): string[];
  /** The rest. */
  flush(): string[];
}

/** A shorter piece is spoken together with the next one: single words sound chopped. */
const minCharacters = 12;
/** A sentence that does not end is cut at a comma or a space, so that its beginning can be heard. */
const maxCharacters = 200;
const maxCodeCharacters = 4_000;

const abbreviation =
  /(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|no|nr|vs|etc|e\.g|i\.e|z\.b|approx|inc|ltd|\p{L})\.$/iu;

export function createSentenceCutter(): SentenceCutter {
  let rest = '';

  function take(length: number): string {
    const piece = rest.slice(0, length);
    rest = rest.slice(length);
    return piece;
  }

  /** Where the next piece ends; undefined if that cannot be known yet. */
  function nextEnd(): number | undefined {
    for (const { index } of rest.matchAll(/[.!?…。！？]+["'”’)\]]*(?=\s|[\p{Lo}])|\n+/gu)) {
      const mark = /^(?:[.!?…。！？]+["'”’)\]]*|\n+)/u.exec(rest.slice(index))?.[0] ?? '';
      const end = index + mark.length;
      const piece = rest.slice(0, end);
      // Code is not spoken, so it must stay in one piece.
      if (isInCode(piece)) continue;
      if (piece.trim().length < minCharacters && !/[。！？]/.test(mark)) continue;
      if (mark.startsWith('.') && (abbreviation.test(piece) || /\d\.$/.test(piece))) continue;
      return end;
    }
    if (rest.length < (isInCode(rest) ? maxCodeCharacters : maxCharacters)) return undefined;
    const long = rest.slice(0, maxCharacters);
    const cut = Math.max(long.lastIndexOf(', '), long.lastIndexOf('; ')) + 1;
    if (cut >= minCharacters) return cut;
    const space = long.lastIndexOf(' ');
    return space > 0 ? space : maxCharacters;
  }

  return {
    push(text) {
      rest += text;
      const pieces: string[] = [];
      for (let end = nextEnd(); end !== undefined; end = nextEnd()) pieces.push(take(end));
      return pieces;
    },
    flush() {
      const piece = take(rest.length);
      return piece === '' ? [] : [piece];
    },
  };
}

function isInCode(text: string): boolean {
  return (text.match(/```/g)?.length ?? 0) % 2 === 1;
}
