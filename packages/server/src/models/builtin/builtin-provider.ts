import { invalid } from '../../app-error.ts';
import type { Model, ModelRequest, QuotedPassage } from '../model.ts';
import type { ModelProvider } from '../provider.ts';

const nothingKnown = 'I have no knowledge that answers this.';
const introduction =
  'I am the built-in model: I answer only with passages from the knowledge I was given. For free conversation, set ' +
  'OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY (or OPENAI_BASE_URL for a server of your own) ' +
  'and start the service again.';

const mostPassages = 3;

/** The model that needs no account and no network. */
export const builtinProvider: ModelProvider = {
  name: 'builtin',
  create(modelName) {
    if (modelName !== 'extractive')
      throw invalid('model', 'is not a built-in model: there is builtin/extractive');
    return extractiveModel;
  },
};

const extractiveModel: Model = {
  id: 'builtin/extractive',
  contextWindow: 1_000_000,
  maxOutputTokens: 4_000,
  async reply(request, onPart, signal) {
    signal.throwIfAborted();
    onPart({ type: 'text', text: answer(request) });
    onPart({
      type: 'finish',
      reason: 'stop',
      usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
    });
  },
};

function answer({ messages, passages = [] }: ModelRequest): string {
  const isFirstReply = !messages.some((message) => message.role === 'assistant');
  const found =
    passages.length > 0 ? passages.slice(0, mostPassages).map(present).join('\n\n') : nothingKnown;
  return isFirstReply ? `${found}\n\n${introduction}` : found;
}

/** The passage word for word, and where it stands. */
function present({ number, title, source_url: source, quote }: QuotedPassage): string {
  const lines = quote.trim().split('\n');
  const from = source === null ? title : `${title} (${source})`;
  return `${lines.map((line) => `> ${line}`).join('\n')}\n\n${from} [${number}]`;
}
