import type { Grade } from './reply-quality.ts';

export interface SentReply {
  content: string;
  /** Whether this is the model's own text. */
  isModelText: boolean;
  /** The model's text, if its grade was too low to send it. */
  refusedText: string | null;
}

/**
 * What is sent of a reply. If replies are graded, only text that was graded, or could not be, is sent: text beside calls is not
 * graded, and dropped.
 */
export function whatIsSent(
  said: string,
  { isGraded, grade }: { isGraded: boolean; grade: Grade | undefined },
): SentReply {
  if (!isGraded) return { content: said, isModelText: true, refusedText: null };
  if (!grade) return { content: '', isModelText: said === '', refusedText: null };
  if (grade.replacement === null) return { content: said, isModelText: true, refusedText: null };
  return { content: grade.replacement, isModelText: false, refusedText: said };
}
