/** The newest audio up to a size. */
export interface BoundedAudio {
  push(audio: Buffer, maxBytes: number): void;
  /** Everything, oldest first; it is empty afterwards. */
  drain(): Buffer[];
}

export function createBoundedAudio(): BoundedAudio {
  let chunks: Buffer[] = [];
  let size = 0;
  return {
    push(audio, maxBytes) {
      chunks.push(audio);
      size += audio.length;
      while (size > maxBytes) size -= chunks.shift()?.length ?? size;
    },
    drain() {
      const all = chunks;
      chunks = [];
      size = 0;
      return all;
    },
  };
}
