/** Audio that waits, in pieces of any length, to be taken in others. */
export function createAudioQueue() {
  let pieces: Buffer[] = [];
  let length = 0;
  return {
    /** In bytes. */
    get length(): number {
      return length;
    },
    push(audio: Buffer): void {
      if (audio.length === 0) return;
      pieces.push(audio);
      length += audio.length;
    },
    /** The next bytes, or all if there are fewer. */
    take(most: number): Buffer {
      const taken = Buffer.allocUnsafe(Math.min(most, length));
      let filled = 0;
      for (let piece = pieces[0]; piece && filled < taken.length; piece = pieces[0]) {
        const copied = piece.copy(taken, filled);
        filled += copied;
        if (copied === piece.length) pieces.shift();
        else pieces[0] = piece.subarray(copied);
      }
      length -= filled;
      return taken;
    },
    clear(): void {
      pieces = [];
      length = 0;
    },
  };
}
