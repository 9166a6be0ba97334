import type { ModelRequest, TextPart } from '../model.ts';
import { markOf, placeOf, type QuotedPassage } from '../passages.ts';
import type { ReplyAttempt } from '../reply-attempt.ts';

const nothingKnown = 'I have no knowledge that answers this.';
const introduction =
  'I am the built-in model: I answer only with passages from the knowledge I was given. For free conversation, set ' +
  'OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY (or OPENAI_BASE_URL for a server of your own) ' +
  'and start the service again.';

const maxPassages = 3;

/** Answers with passages alone, so it needs no account and no network. */
export function createExtractiveAttempt(): ReplyAttempt {
  return async (request, onPart, { signal }) => {
    signal.throwIfAborted();
    for (const part of answer(request)) onPart(part);
    onPart({
      type: 'finish',
      reason: 'stop',
      usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
    });
  };
}

function answer({ messages, passages = [] }: ModelRequest): TextPart[] {
  const isFirstReply = !messages.some((message) => message.role === 'assistant');
  const found = passages.slice(0, maxPassages).flatMap(present);
  if (found.length === 0) found.push({ type: 'text', text: nothingKnown });
  return isFirstReply ? [...found, { type: 'text', text: `\n\n${introduction}` }] : found;
}

/** The passage, verbatim, and its source. */
function present(passage: QuotedPassage, index: number): TextPart[] {
  const { number, source_url: source, quote } = passage;
  const lines = quote.trim().split('\n');
  const place = placeOf(passage);
  const from = source === null ? place : `${place} (${source})`;
  const shown = `${lines.map((line) => `> ${line}`).join('\n')}\n\n${from} `;
  return [
    { type: 'text', text: index === 0 ? shown : `\n\n${shown}`, isQuotation: true },
    { type: 'text', text: markOf(number) },
  ];
}
