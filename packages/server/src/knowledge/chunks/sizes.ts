export interface Size {
  characters: number;
  tokens: number;
}

/** The size that chunks are filled to. */
export const aim: Size = { characters: 1_200, tokens: 350 };
/** The size that no chunk exceeds. */
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
