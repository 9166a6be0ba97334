import type { ScriptedReason, ScriptedUsage } from './script.ts';
import { argumentObject, argumentText, frame, pieces, type Wire } from './wire.ts';

const reasons: Record<ScriptedReason, string> = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  'content-filter': 'refusal',
};
const head = { id: 'msg_scripted', type: 'message', role: 'assistant', model: 'scripted-model' };

/** Anthropic's `/v1/messages`. Its schema requires usage, so no usage is sent as zeros. */
export const anthropicWire: Wire = {
  name: 'anthropic',
  provider: 'anthropic',
  createEncoder() {
    let index = -1;
    let openBlock: 'text' | 'thinking' | undefined;

    const start = (block: object): string => {
      index += 1;
      return event('content_block_start', { index, content_block: block });
    };
    const delta = (value: object): string => event('content_block_delta', { index, delta: value });

    function closeBlock(): string {
      if (!openBlock) return '';
      const signature =
        openBlock === 'thinking' ? delta({ type: 'signature_delta', signature: 'signed-thought' }) : '';
      openBlock = undefined;
      return signature + event('content_block_stop', { index });
    }

    function inBlock(type: 'text' | 'thinking', token: string): string {
      let frames = '';
      if (openBlock !== type) {
        frames =
          closeBlock() + start(type === 'text' ? { type, text: '' } : { type, thinking: '', signature: '' });
        openBlock = type;
      }
      return (
        frames +
        delta(
          type === 'text' ? { type: 'text_delta', text: token } : { type: 'thinking_delta', thinking: token },
        )
      );
    }

    return {
      open: () =>
        event('message_start', {
          message: {
            ...head,
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: anthropicUsage(undefined),
          },
        }) + event('ping', {}),
      text: (token) => inBlock('text', token),
      reasoning: (token) => inBlock('thinking', token),
      toolCalls: (calls) =>
        closeBlock() +
        calls
          .map((call) =>
            [
              start({ type: 'tool_use', id: call.id, name: call.name, input: {} }),
              ...pieces(argumentText(call)).map((piece) =>
                delta({ type: 'input_json_delta', partial_json: piece }),
              ),
              event('content_block_stop', { index }),
            ].join(''),
          )
          .join(''),
      close: ({ reason, usage }) =>
        closeBlock() +
        event('message_delta', {
          delta: { stop_reason: reasons[reason], stop_sequence: null },
          usage: anthropicUsage(usage),
        }) +
        event('message_stop', {}),
    };
  },
  whole: ({ text, calls, reason, usage }) => ({
    ...head,
    content: [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map((call) => ({
        type: 'tool_use',
        id: call.id,
        name: call.name,
        input: argumentObject(call),
      })),
    ],
    stop_reason: reasons[reason],
    stop_sequence: null,
    usage: anthropicUsage(usage),
  }),
};

function event(type: string, fields: object): string {
  return frame({ type, ...fields }, type);
}

/** Here the cached tokens are not part of the input tokens. */
function anthropicUsage(usage: ScriptedUsage | undefined): object {
  return {
    input_tokens: (usage?.inputTokens ?? 0) - (usage?.cachedInputTokens ?? 0),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage?.cachedInputTokens ?? 0,
    output_tokens: usage?.outputTokens ?? 0,
  };
}
