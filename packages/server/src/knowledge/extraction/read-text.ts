/** The text of a document as markdown. */
export interface ReadText {
  title: string | null;
  markdown: string;
  pages?: number;
}
