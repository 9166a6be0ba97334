import type { PlacedText } from './lines.ts';
import type { StructureNode } from './tagged-blocks.ts';

/** What is read of one page. */
export interface PdfPage {
  height: number;
  pieces: PlacedText[];
  /** Headings, lists and tables as the program that wrote the file knew them; null in most files. */
  structure: StructureNode | null;
}
