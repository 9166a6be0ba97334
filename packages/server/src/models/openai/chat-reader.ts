import { randomUUID } from 'node:crypto';
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
import { createThoughtFilter } from './thought-filter.ts';

/** Reads the stream of `/chat/completions`, of OpenAI and of the many servers that nearly speak it. */
export function createChatReader(options: FrameReaderOptions): FrameReader {
  const thoughts = createThoughtFilter();
  const calls: PendingToolCall[] = [];
  const callOfIndex = new Map<unknown, PendingToolCall>();
  let text = '';
  let outputBytes = 0;
  let reason: string | undefined;
  let refused = false;
  let usage: Usage | undefined;
  let over = false;

  function produced(piece: string): string {
    if (piece !== '') {
      const bytes = Buffer.byteLength(piece);
      outputBytes += bytes;
      options.onToken(bytes);
    }
    return piece;
  }

  function readToolCall(delta: Json): void {
    const called = isJson(delta['function']) ? delta['function'] : {};
    const name = textOf(called['name']);
    const id = textOf(delta['id']);
    const index = delta['index'] ?? (id || calls.length);
    let call = callOfIndex.get(index);
    // Some servers give every call the index 0: a name with another id begins another call.
    if (!call || (name !== '' && id !== '' && id !== call.id)) {
      call = { id: id || `call_${randomUUID()}`, name: '', text: '' };
      callOfIndex.set(index, call);
      calls.push(call);
    }
    if (call.name === '') call.name = name;
    call.text += produced(textOf(called['arguments']));
    options.onToken(0);
  }

  function readDelta(delta: Json): void {
    const content = textOf(delta['content']);
    if (content !== '') text += thoughts.push(produced(content));
    produced(textOf(delta['reasoning_content']) || textOf(delta['reasoning']));
    const refusal = textOf(delta['refusal']);
    if (refusal !== '') {
      refused = true;
      text += produced(refusal);
    }
    const toolCalls = delta['tool_calls'];
    if (Array.isArray(toolCalls)) for (const call of toolCalls) if (isJson(call)) readToolCall(call);
  }

  return {
    read(data) {
      if (data === '[DONE]') {
        over = true;
        return;
      }
      const frame = parseFrame(data, options);
      if (frame['error']) throw options.onFailure(JSON.stringify(frame['error']));
      if (isJson(frame['usage'])) usage = readUsage(frame['usage']);
      const choice: unknown = Array.isArray(frame['choices']) ? frame['choices'][0] : undefined;
      if (!isJson(choice)) return;
      if (isJson(choice['delta'])) readDelta(choice['delta']);
      if (choice['finish_reason']) {
        reason = textOf(choice['finish_reason']);
        text += thoughts.flush();
      }
    },
    takeText() {
      const taken = text;
      text = '';
      return taken;
    },
    isOver: () => over,
    isComplete: () => reason !== undefined,
    finish() {
      if (reason === undefined && !over) throw options.onBroken('ended before it was finished');
      return [
        ...calls.map(
          (call): ModelPart => ({
            type: 'tool-call',
            id: call.id,
            name: call.name,
            ...parseToolArguments(call.text),
          }),
        ),
        {
          type: 'finish',
          reason: refused ? 'content-filter' : finishReason(reason, calls.length > 0),
          usage: usage ?? options.estimate({ bytes: outputBytes }),
        },
      ];
    },
  };
}

function readUsage(usage: Json): Usage {
  const details = isJson(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {};
  return {
    inputTokens: countOf(usage['prompt_tokens']),
    cachedInputTokens: countOf(details['cached_tokens'] ?? usage['prompt_cache_hit_tokens']),
    outputTokens: countOf(usage['completion_tokens']),
  };
}

/** Some servers send `stop` after a tool call, and some only [DONE]. */
function finishReason(reason: string | undefined, hasCalls: boolean): FinishReason {
  if (reason === 'length') return 'length';
  if (reason === 'content_filter') return 'content-filter';
  if (hasCalls) return 'tool-calls';
  return reason === 'stop' || reason === undefined ? 'stop' : 'other';
}
