import type { ExtractionLimits } from './limits.ts';

/** What a child process is asked to do; `length` bytes of document or text come after it. */
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
  /** What the source is called: all of its passages are about that. */
  title: string | null;
  /** Whose terms they are: those of another workspace are others. */
  workspaceId: string;
  limits: ExtractionLimits;
}

/** What it answers; the text, or the chunks as one line each, come after it. */
export type Answer =
  | { done: 'extract'; length: number; title: string | null; pages: number | null }
  | { done: 'split'; length: number }
  | { refused: string; cause: string };
