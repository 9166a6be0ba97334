import { frameMs } from '../audio-format.ts';

/** What the clock of all lines calls. `frames` is 1, or more after the process was blocked. */
export interface Paced {
  /** The next frames are to be sent. */
  play(frames: number): void;
  /** The next frames that were received are due. Packets that arrived in the meantime have been read before this. */
  listen(frames: number): void;
}

export type Pacer = ReturnType<typeof createPacer>;

/** One timer for all lines, towards absolute deadlines: a late tick never delays the ones after it. */
export function createPacer(options: { onError(error: unknown): void; now?: () => number }) {
  const { onError, now = () => performance.now() } = options;
  const lines = new Set<Paced>();
  let timer: NodeJS.Timeout | undefined;
  let origin = 0;
  let ticks = 0;

  function each(work: (line: Paced) => void): void {
    const present = [...lines];
    for (const line of present) {
      try {
        if (lines.has(line)) work(line);
      } catch (error) {
        onError(error);
      }
    }
  }

  function tick(): void {
    const due = Math.floor((now() - origin) / frameMs) - ticks;
    if (due > 0) {
      ticks += due;
      each((line) => line.play(due));
      // Immediates run after the sockets were read, so that packets that arrived during a stall do not count as lost.
      setImmediate(() => each((line) => line.listen(due)));
    }
    schedule();
  }

  function schedule(): void {
    const delay = origin + (ticks + 1) * frameMs - now();
    timer = lines.size > 0 ? setTimeout(tick, Math.max(0, Math.ceil(delay))) : undefined;
  }

  return {
    /** Returns a function that removes it again. */
    add(line: Paced): () => void {
      lines.add(line);
      if (!timer) {
        origin = now();
        ticks = 0;
        schedule();
      }
      return () => {
        lines.delete(line);
        if (lines.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
      };
    },
  };
}
