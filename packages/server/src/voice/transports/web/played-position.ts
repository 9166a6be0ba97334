/** What the browser says with each of its frames about the audio that it was sent, in samples. */
export interface PositionReport {
  /** How many times it has discarded what it had. */
  clears: number;
  /** What was heard since the line was opened. */
  heard: number;
  /** The same since it last discarded something. */
  heardSinceClear: number;
}

const headerBytes = 12;

/** Undefined for a frame that is not one: a header and whole samples. */
export function readFrame(data: Buffer): { report: PositionReport; audio: Buffer } | undefined {
  if (data.length <= headerBytes || data.length % 2 !== 0) return undefined;
  const report = {
    clears: data.readUInt32LE(0),
    heard: data.readUInt32LE(4),
    heardSinceClear: data.readUInt32LE(8),
  };
  return { report, audio: data.subarray(headerBytes) };
}

/** How far the browser has played what it was sent, across clears that are still on their way to it. */
export function createPlayedPosition() {
  let heard = 0;
  let sent = 0;
  let clears = 0;
  let sentSinceClear = 0;
  let heardSinceClear = 0;

  return {
    /** In samples; never decreases. */
    get heard(): number {
      return heard;
    },
    /** What was sent and is neither heard nor discarded, as far as is known. */
    get ahead(): number {
      return sentSinceClear - heardSinceClear;
    },
    noteSent(samples: number): void {
      sent += samples;
      sentSinceClear += samples;
    },
    /** Everything that was sent is discarded from now on. Returns the number of this clear. */
    noteCleared(): number {
      clears += 1;
      sentSinceClear = 0;
      heardSinceClear = 0;
      return clears;
    },
    /** No more can have been heard than was sent, whatever the browser says. */
    noteReport(report: PositionReport): void {
      // Until the browser has discarded what it had, it still plays some of it.
      const isCurrent = report.clears >= clears;
      const limit = isCurrent ? sent : sent - sentSinceClear;
      heard = Math.max(heard, Math.min(report.heard, limit));
      if (!isCurrent) return;
      heardSinceClear = Math.max(heardSinceClear, Math.min(report.heardSinceClear, sentSinceClear));
    },
  };
}
