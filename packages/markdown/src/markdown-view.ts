/** Renders one message while it is being written. */
export interface MarkdownView {
  /** Adds text at the end; what is already shown stays as it is. */
  append(text: string): void;
  /** The message is complete with this text at its end. */
  end(text?: string): void;
}

export interface MarkdownOptions {
  /** Called for `[1]`: the element to show, or undefined where there is no such source and it stays text. */
  citation?: (number: number) => HTMLElement | undefined;
  /** Added to every link for screen readers, such as "opens in a new tab". Its element has the class `hidden`; links have the class `away`. */
  linkNote?: string;
}
