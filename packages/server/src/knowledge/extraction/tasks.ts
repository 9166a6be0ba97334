import type { ExtractionLimits } from './limits.ts';

/** A task for a child process; `length` bytes of document or text follow it. */
export type Task = ExtractTask | SplitTask;

export interface ExtractTask {
  task: 'extract';
  length: number;
  filename: string | null;
  contentType: string | null;
  url: string | null;
  limits: ExtractionLimits;
}

export interface SplitTask {
  task: 'split';
  length: number;
  /** The source's title, which is part of what all of its passages are about. */
  title: string | null;
  /** Terms differ between workspaces. */
  workspaceId: string;
  limits: ExtractionLimits;
}

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
