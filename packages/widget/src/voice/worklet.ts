declare const sampleRate: number;
declare const registerProcessor: (name: string, processor: unknown) => void;
declare class AudioWorkletProcessor {
  port: MessagePort;
}

/** 20 ms. */
const frameSamples = 320;

/**
 * Runs in the browser's audio thread, which has one line: records at 16 kHz, plays what was sent at 16 kHz, and counts what was
 * played.
 */
export function registerLine(): void {
  const step = 16_000 / sampleRate;
  const frame = new Int16Array(frameSamples);
  /** Samples that wait to be played, the first of them from `place` on. */
  let chunks: Int16Array[] = [];
  let place = 0;
  let last = 0;
  let clears = 0;
  let played = 0;
  let playedSinceClear = 0;
  /** Samples since something was played. */
  let idle = 0;
  let filled = 0;
  /** The average of what was recorded since the last sample at 16 kHz: a simple filter against aliasing. */
  let sum = 0;
  let count = 0;
  let recorded = 0;
  let playing = 0;

  function next(): void {
    const [chunk] = chunks;
    last = (chunk?.[place] ?? 0) / 32_768;
    if (!chunk) return void idle++;
    idle = 0;
    played++;
    playedSinceClear++;
    place++;
    if (place < chunk.length) return;
    chunks.shift();
    place = 0;
  }

  function record(sample: number, port: MessagePort): void {
    sum += sample;
    count++;
    recorded += step;
    if (recorded < 1) return;
    // More than once on devices that are slower than 16 kHz.
    for (; recorded >= 1; recorded--) {
      frame[filled++] = Math.max(-1, Math.min(1, sum / count)) * 32_767;
      if (filled < frameSamples) continue;
      port.postMessage([frame, clears, played, playedSinceClear, idle]);
      filled = 0;
    }
    sum = count = 0;
  }

  class Line extends AudioWorkletProcessor {
    constructor() {
      super();
      this.port.addEventListener('message', ({ data }: MessageEvent<Int16Array | number>) => {
        if (typeof data !== 'number') return void chunks.push(data);
        chunks = [];
        place = playedSinceClear = 0;
        clears = data;
      });
      this.port.start();
    }

    process([input]: Float32Array[][], [output]: Float32Array[][]): boolean {
      const samples = output?.[0];
      for (let index = 0; samples && index < samples.length; index++) {
        record(input?.[0]?.[index] ?? 0, this.port);
        for (playing += step; playing >= 1; playing--) next();
        // Between two samples the line is straight.
        samples[index] = last + ((chunks[0]?.[place] ?? 0) / 32_768 - last) * playing;
      }
      return true;
    }
  }

  registerProcessor('line', Line);
}
