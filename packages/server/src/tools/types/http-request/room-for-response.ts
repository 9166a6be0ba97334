import { UnfitParameter } from './unfit-parameter.ts';

/** How much may still be added to one part of a request. */
export type Room = ReturnType<typeof createRoom>;

export function createRoom(part: string, maxKilobytes: number) {
  const most = maxKilobytes * 1024;
  let taken = 0;
  const refuse = () => {
    throw new UnfitParameter(`With these arguments ${part} would be larger than ${maxKilobytes} KB.`);
  };
  return {
    /** Call it before writing, so that nothing too large is ever built: a template can repeat a parameter thousands of times. */
    take(bytes: number): void {
      taken += bytes;
      if (taken > most) refuse();
    },
    /** Checks the finished text: encoding may have made it longer than what was put in. */
    require(text: string): string {
      if (Buffer.byteLength(text) > most) refuse();
      return text;
    },
  };
}
