import type { ErrorCode } from '@svc/contract/errors';
import { AppError } from '../../app-error.ts';

/** About the message itself. All others can name models, tools, machines and their directories. */
const ofMessages: ReadonlySet<ErrorCode> = new Set(['NOT_FOUND', 'TURN_IN_PROGRESS', 'RATE_LIMITED']);

/** What an end user may get wrong. Other fields belong to the bot, such as a model without a price or a tool without a machine. */
const fieldsOfMessages: ReadonlySet<unknown> = new Set(['bot_id', 'conversation_id', 'new_conversation']);

/** The error as an end user sees it: for most of them, only what the code means. */
export function toEndUserError(error: unknown): unknown {
  if (!(error instanceof AppError) || ofMessages.has(error.code) || isOfMessage(error)) return error;
  const { code, retryAfterSeconds } = error;
  return new AppError(code, { cause: error, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
}

function isOfMessage({ code, details = [] }: AppError): boolean {
  return (
    code === 'VALIDATION_FAILED' &&
    details.length > 0 &&
    details.every(({ path }) => fieldsOfMessages.has(path))
  );
}
