import type { ScriptedUsage } from './script.ts';
import { argumentText, type Ending, frame, pieces, type WholeReply, type Wire } from './wire.ts';

const head = { id: 'resp_scripted', object: 'response', created_at: 1_760_000_000, model: 'scripted-model' };

/** OpenAI's `/responses`. */
export const responsesWire: Wire = {
  name: 'responses',
  provider: 'openai',
  createEncoder() {
    let sequence = 0;
    let outputIndex = -1;
    let openItem: { type: 'message' | 'reasoning'; text: string } | undefined;

    const event = (type: string, fields: object): string => {
      sequence += 1;
      return frame({ type, sequence_number: sequence, ...fields }, type);
    };
    const itemId = (): string => `item_${outputIndex}`;
    const itemEvent = (type: string, item: object): string =>
      event(`response.output_item.${type}`, { output_index: outputIndex, item: { id: itemId(), ...item } });

    function closeItem(): string {
      if (!openItem) return '';
      const { type, text } = openItem;
      openItem = undefined;
      return itemEvent(
        'done',
        type === 'message'
          ? { type, status: 'completed', role: 'assistant', content: [{ type: 'output_text', text }] }
          : { type, summary: [{ type: 'summary_text', text }], encrypted_content: 'encrypted-reasoning' },
      );
    }

    function delta(type: 'message' | 'reasoning', token: string): string {
      let frames = '';
      if (openItem?.type !== type) {
        frames += closeItem();
        outputIndex += 1;
        openItem = { type, text: '' };
        frames += itemEvent('added', {
          type,
          ...(type === 'message' ? { role: 'assistant', content: [] } : { summary: [] }),
        });
      }
      openItem.text += token;
      const name =
        type === 'message' ? 'response.output_text.delta' : 'response.reasoning_summary_text.delta';
      return (
        frames + event(name, { item_id: itemId(), output_index: outputIndex, content_index: 0, delta: token })
      );
    }

    return {
      open: () => event('response.created', { response: { ...head, status: 'in_progress', output: [] } }),
      text: (token) => delta('message', token),
      reasoning: (token) => delta('reasoning', token),
      toolCalls: (calls) =>
        closeItem() +
        calls
          .map((call) => {
            outputIndex += 1;
            const item = { type: 'function_call', call_id: call.id, name: call.name };
            const place = { item_id: itemId(), output_index: outputIndex };
            return [
              itemEvent('added', { ...item, arguments: '', status: 'in_progress' }),
              ...pieces(argumentText(call)).map((piece) =>
                event('response.function_call_arguments.delta', { ...place, delta: piece }),
              ),
              event('response.function_call_arguments.done', { ...place, arguments: argumentText(call) }),
              itemEvent('done', { ...item, arguments: argumentText(call), status: 'completed' }),
            ].join('');
          })
          .join(''),
      close: (ending) => {
        const last = isComplete(ending) ? 'completed' : 'incomplete';
        return closeItem() + event(`response.${last}`, { response: { ...head, ...endingFields(ending) } });
      },
    };
  },
  whole: (reply: WholeReply) => ({
    ...head,
    ...endingFields(reply),
    output: [
      ...(reply.text === ''
        ? []
        : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: reply.text }] }]),
      ...reply.calls.map((call) => ({
        type: 'function_call',
        call_id: call.id,
        name: call.name,
        arguments: argumentText(call),
      })),
    ],
  }),
};

function isComplete({ reason }: Ending): boolean {
  return reason === 'stop' || reason === 'tool-calls';
}

function endingFields(ending: Ending): object {
  const reason = ending.reason === 'length' ? 'max_output_tokens' : 'content_filter';
  return {
    status: isComplete(ending) ? 'completed' : 'incomplete',
    incomplete_details: isComplete(ending) ? null : { reason },
    ...(ending.usage ? { usage: responsesUsage(ending.usage) } : {}),
  };
}

function responsesUsage({ inputTokens, cachedInputTokens, outputTokens }: ScriptedUsage): object {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}
