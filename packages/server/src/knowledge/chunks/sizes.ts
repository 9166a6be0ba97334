export interface Size {
  characters: number;
  tokens: number;
}

/** What a chunk is filled to. */
export const aim: Size = { characters: 1_200, tokens: 350 };
/** What none exceeds. */
export const bound: Size = { characters: 1_400, tokens: 400 };

export function sum(...sizes: readonly Size[]): Size {
  return sizes.reduce(
    (total, { characters, tokens }) => ({
      characters: total.characters + characters,
      tokens: total.tokens + tokens,
    }),
    { characters: 0, tokens: 0 },
  );
}

export function isWithin(size: Size, limit: Size): boolean {
  return size.characters <= limit.characters && size.tokens <= limit.tokens;
}
