/** What was read from a document. */
export interface ReadText {
  title: string | null;
  markdown: string;
  pages?: number;
}
