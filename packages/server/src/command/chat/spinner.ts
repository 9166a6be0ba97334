const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const everyMilliseconds = 120;
const eraseLine = '\r\u001B[2K';

export interface SpinnerOptions {
  write(text: string): void;
  columns(): number;
  /** False while something else is on the line, such as a question or half of a reply. */
  mayDraw(): boolean;
}

/** One line that says what is running, and for how long. */
export function createSpinner({ write, columns, mayDraw }: SpinnerOptions) {
  let text: string | undefined;
  let since = 0;
  let frame = 0;
  let isDrawn = false;
  let timer: NodeJS.Timeout | undefined;

  function erase(): void {
    if (isDrawn) write(eraseLine);
    isDrawn = false;
  }

  function draw(): void {
    if (text === undefined || !mayDraw()) return;
    const seconds = Math.floor((performance.now() - since) / 1_000);
    const suffix = seconds > 0 ? ` ${seconds} s` : '';
    // A line that the terminal wraps could not be erased; a character may take two columns.
    const room = Math.max(Math.floor((columns() - suffix.length - 3) / 2), 8);
    const shown = text.length > room ? `${text.slice(0, room - 1)}…` : text;
    erase();
    write(`${frames[frame % frames.length]} ${shown}${suffix}`);
    frame += 1;
    isDrawn = true;
  }

  return {
    /** Shows another text, or nothing. */
    set(next: string | undefined): void {
      if (next === text) return;
      erase();
      text = next;
      since = performance.now();
      clearInterval(timer);
      timer = next === undefined ? undefined : setInterval(draw, everyMilliseconds).unref();
    },
    /** Makes room for other output; it is drawn again later. */
    erase,
  };
}
