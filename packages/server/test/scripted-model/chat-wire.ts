import type { ScriptedReason, ScriptedUsage } from './script.ts';
import { argumentText, frame, pieces, type Wire } from './wire.ts';

const reasons: Record<ScriptedReason, string> = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  'content-filter': 'content_filter',
};
const head = { id: 'chatcmpl-scripted', created: 1_760_000_000, model: 'scripted-model' };
const streamHead = { ...head, object: 'chat.completion.chunk', system_fingerprint: 'fp_scripted' };

/** OpenAI's `/chat/completions`. */
export const chatWire: Wire = {
  name: 'chat',
  provider: 'openai',
  createEncoder: () => ({
    open: () => chunk({ role: 'assistant', content: '', refusal: null }),
    text: (token) => chunk({ content: token }),
    reasoning: (token) => chunk({ reasoning_content: token }),
    toolCalls(calls, interleaved) {
      const openings = calls.map((call, index) =>
        chunk({
          tool_calls: [
            { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } },
          ],
        }),
      );
      const deltas = calls.map((call, index) =>
        pieces(argumentText(call)).map((piece) =>
          chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
        ),
      );
      if (!interleaved) return openings.map((opening, index) => opening + deltas[index]?.join('')).join('');
      const rounds = Math.max(...deltas.map((list) => list.length));
      const mixed = Array.from({ length: rounds }, (_, round) =>
        deltas.map((list) => list[round] ?? '').join(''),
      );
      return openings.join('') + mixed.join('');
    },
    close: ({ reason, usage }) =>
      chunk({}, reasons[reason]) +
      (usage ? frame({ ...streamHead, choices: [], usage: chatUsage(usage) }) : '') +
      'data: [DONE]\n\n',
  }),
  whole: ({ text, calls, reason, usage }) => ({
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: reasons[reason],
        message: {
          role: 'assistant',
          content: text === '' ? null : text,
          ...(calls.length > 0
            ? {
                tool_calls: calls.map((call) => ({
                  id: call.id,
                  type: 'function',
                  function: { name: call.name, arguments: argumentText(call) },
                })),
              }
            : {}),
        },
      },
    ],
    ...(usage ? { usage: chatUsage(usage) } : {}),
  }),
};

function chunk(delta: object, finishReason: string | null = null): string {
  return frame({
    ...streamHead,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    usage: null,
  });
}

function chatUsage({ inputTokens, cachedInputTokens, outputTokens }: ScriptedUsage): object {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}
