import type { Grade } from './reply-quality.ts';

export interface SentReply {
  content: string;
  /** Whether this is what the model said. */
  isOwnWords: boolean;
  /** What the model said instead, where its grade was too low. */
  refusedText: string | null;
}

/**
 * What of a reply goes out. Where replies are graded, only what has a grade or could not get one does: text beside calls
 * has none, and is dropped.
 */
export function whatIsSent(
  said: string,
  { isGraded, grade }: { isGraded: boolean; grade: Grade | undefined },
): SentReply {
  if (!isGraded) return { content: said, isOwnWords: true, refusedText: null };
  if (!grade) return { content: '', isOwnWords: said === '', refusedText: null };
  if (grade.replacement === null) return { content: said, isOwnWords: true, refusedText: null };
  return { content: grade.replacement, isOwnWords: false, refusedText: said };
}
