import type { ExtractionLimits } from './limits.ts';

/** A task for a child process; `length` bytes of document or text follow it. */
export type Task = { length: number; limits: ExtractionLimits } & (
  | { task: 'extract'; filename: string | null; contentType: string | null; url: string | null }
  /** The title is part of what all passages of a source are about. Terms differ between workspaces. */
  | { task: 'split'; title: string | null; workspaceId: string }
);

/** The child's answer; the text, or the chunks as one line each, follow it. */
export type Answer =
  | { done: 'extract'; length: number; title: string | null; pages: number | null }
  | { done: 'split'; length: number }
  | { refused: string; cause: string };

/** What was read from a document. */
export interface ReadText {
  /** The document's own title. */
  title: string | null;
  markdown: string;
  pages?: number;
}
