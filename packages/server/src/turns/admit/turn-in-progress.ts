import { AppError } from '../../lib/app-error.ts';

/** Includes the conversation, because a message can go to a user's latest one without naming it. */
export function turnInProgress(conversationId: string): AppError {
  return new AppError('TURN_IN_PROGRESS', { details: [{ conversation_id: conversationId }] });
}
