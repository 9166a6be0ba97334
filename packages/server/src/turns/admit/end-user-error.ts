import { AppError } from '../../lib/app-error.ts';

/** What an end user may get wrong. Other fields belong to the bot, such as a model without a price or a tool without a machine. */
const fieldsOfMessages: ReadonlySet<unknown> = new Set(['bot_id', 'conversation_id', 'new_conversation']);

/** The error as an end user sees it: without the settings of the bot. `http/errors.ts` does the same for all other codes. */
export function toEndUserError(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_FAILED') return error;
  const { details = [] } = error;
  const isOfMessage = details.length > 0 && details.every(({ path }) => fieldsOfMessages.has(path));
  return isOfMessage ? error : new AppError(error.code, { cause: error });
}
