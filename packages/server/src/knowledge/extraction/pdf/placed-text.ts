/** A piece of text at its position; y grows upwards. */
export interface PlacedText {
  text: string;
  x: number;
  y: number;
  width: number;
  size: number;
  endsLine: boolean;
  /** The id of its marked content. */
  mark?: string | undefined;
  /** A person has filled it in; the page itself does not show it. */
  isFilledIn?: boolean;
}
