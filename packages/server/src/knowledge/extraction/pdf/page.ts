import type { PlacedText } from './lines.ts';
import type { StructureNode } from './tagged-blocks.ts';

/** The content of one page. */
export interface PdfPage {
  height: number;
  pieces: PlacedText[];
  /** Headings, lists and tables as tagged by the program that wrote the file; null in most files. */
  structure: StructureNode | null;
}
