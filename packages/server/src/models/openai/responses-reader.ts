import type { FinishReason, ModelPart, Usage } from '../model.ts';
import { parseToolArguments } from '../tool-arguments.ts';
import {
  countOf,
  type FrameReader,
  type FrameReaderOptions,
  isJson,
  type Json,
  type PendingToolCall,
  parseFrame,
  textOf,
} from './frame-reader.ts';

/** Reads the stream of `/responses`. */
export function createResponsesReader(modelId: string, options: FrameReaderOptions): FrameReader {
  const calls: PendingToolCall[] = [];
  let reasoning: Json[] = [];
  let text = '';
  let outputBytes = 0;
  let refused = false;
  let ending: { reason: FinishReason; usage: Usage | undefined } | undefined;

  function produced(piece: string): string {
    const bytes = Buffer.byteLength(piece);
    outputBytes += bytes;
    options.onToken(bytes);
    return piece;
  }

  function readItem(item: Json): void {
    if (item['type'] === 'reasoning' && textOf(item['encrypted_content']) !== '') {
      reasoning.push({ type: 'reasoning', summary: [], encrypted_content: item['encrypted_content'] });
    }
    if (item['type'] !== 'function_call') return;
    calls.push({
      id: textOf(item['call_id']),
      name: textOf(item['name']),
      text: textOf(item['arguments']),
      ...(reasoning.length > 0 ? { providerState: { model: modelId, data: reasoning } } : {}),
    });
    reasoning = [];
  }

  function readEnd(response: Json, reason: FinishReason): void {
    ending = { reason, usage: isJson(response['usage']) ? readUsage(response['usage']) : undefined };
  }

  function readEvent(type: string, event: Json): void {
    const response = isJson(event['response']) ? event['response'] : {};
    switch (type) {
      case 'response.output_text.delta':
        text += produced(textOf(event['delta']));
        break;
      case 'response.refusal.delta':
        refused = true;
        text += produced(textOf(event['delta']));
        break;
      case 'response.output_item.done':
        if (isJson(event['item'])) readItem(event['item']);
        break;
      case 'response.completed':
        readEnd(response, calls.length > 0 ? 'tool-calls' : 'stop');
        break;
      case 'response.incomplete':
        readEnd(response, incompleteReason(response));
        break;
      case 'response.failed':
        throw options.onFailure(JSON.stringify(response['error'] ?? {}));
      case 'error':
        throw options.onFailure(JSON.stringify(event['error'] ?? event));
      default:
        // Pieces of arguments and reasoning are not shown, but prove that the model is working.
        if (type.endsWith('.delta')) produced(textOf(event['delta']));
    }
  }

  return {
    read(data) {
      if (data === '[DONE]') return;
      const event = parseFrame(data, options);
      readEvent(textOf(event['type']), event);
    },
    takeText() {
      const taken = text;
      text = '';
      return taken;
    },
    isOver: () => ending !== undefined,
    isComplete: () => ending !== undefined,
    finish() {
      if (!ending) throw options.onBroken('ended before it was finished');
      return [
        ...calls.map(
          ({ text: argumentText, ...call }): ModelPart => ({
            type: 'tool-call',
            ...call,
            ...parseToolArguments(argumentText),
          }),
        ),
        {
          type: 'finish',
          reason: refused ? 'content-filter' : ending.reason,
          usage: ending.usage ?? options.estimate({ bytes: outputBytes }),
        },
      ];
    },
  };
}

function readUsage(usage: Json): Usage {
  const details = isJson(usage['input_tokens_details']) ? usage['input_tokens_details'] : {};
  return {
    inputTokens: countOf(usage['input_tokens']),
    cachedInputTokens: countOf(details['cached_tokens']),
    outputTokens: countOf(usage['output_tokens']),
  };
}

function incompleteReason(response: Json): FinishReason {
  const details = isJson(response['incomplete_details']) ? response['incomplete_details'] : {};
  if (details['reason'] === 'max_output_tokens') return 'length';
  return details['reason'] === 'content_filter' ? 'content-filter' : 'other';
}
