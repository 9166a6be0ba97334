/** Runs in the browser's audio thread: records at 16 kHz, plays what was sent at 16 kHz, and counts what was played. */
declare const sampleRate: number;
declare const registerProcessor: (name: string, processor: unknown) => void;
declare class AudioWorkletProcessor {
  port: MessagePort;
}

/** 20 ms. */
const frameSamples = 320;
const step = 16_000 / sampleRate;

class Line extends AudioWorkletProcessor {
  /** Samples that wait to be played, the first of them from `place` on. */
  chunks: Int16Array[] = [];
  place = 0;
  last = 0;
  clears = 0;
  played = 0;
  playedSinceClear = 0;
  /** Samples since something was played. */
  idle = 0;
  frame = new Int16Array(frameSamples);
  filled = 0;
  /** The average of what was recorded since the last sample at 16 kHz: a simple filter against aliasing. */
  sum = 0;
  count = 0;
  recorded = 0;
  playing = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<Int16Array | number>) => {
      if (typeof data !== 'number') return void this.chunks.push(data);
      this.chunks = [];
      this.place = this.playedSinceClear = 0;
      this.clears = data;
    };
  }

  process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    const input = inputs[0]?.[0];
    const output = outputs[0]?.[0];
    for (let index = 0; output && index < output.length; index++) {
      this.record(input?.[index] ?? 0);
      this.playing += step;
      if (this.playing >= 1) {
        this.playing -= 1;
        this.next();
      }
      // Between two samples the line is straight.
      const ahead = (this.chunks[0]?.[this.place] ?? 0) / 32_768;
      output[index] = this.last + (ahead - this.last) * this.playing;
    }
    return true;
  }

  next(): void {
    const [chunk] = this.chunks;
    this.last = (chunk?.[this.place] ?? 0) / 32_768;
    if (!chunk) return void this.idle++;
    this.idle = 0;
    this.played++;
    this.playedSinceClear++;
    this.place++;
    if (this.place < chunk.length) return;
    this.chunks.shift();
    this.place = 0;
  }

  record(sample: number): void {
    this.sum += sample;
    this.count++;
    this.recorded += step;
    if (this.recorded < 1) return;
    this.recorded -= 1;
    const value = Math.max(-1, Math.min(1, this.sum / this.count));
    this.frame[this.filled++] = value * 32_767;
    this.sum = this.count = 0;
    if (this.filled < frameSamples) return;
    const { frame, clears, played, playedSinceClear, idle } = this;
    this.port.postMessage([frame, clears, played, playedSinceClear, idle]);
    this.filled = 0;
  }
}

registerProcessor('line', Line);
