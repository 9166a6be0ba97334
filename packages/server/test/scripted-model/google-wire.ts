import type { ScriptedReason, ScriptedUsage } from './script.ts';
import { argumentObject, type Ending, frame, type Wire } from './wire.ts';

const reasons: Record<ScriptedReason, string> = {
  stop: 'STOP',
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  'content-filter': 'SAFETY',
};
const head = { modelVersion: 'scripted-model', responseId: 'response-scripted' };

/** Google's `models/{model}:streamGenerateContent?alt=sse`. Calls are not split. */
export const googleWire: Wire = {
  name: 'google',
  provider: 'google',
  createEncoder: () => ({
    open: () => '',
    text: (token) => chunk([{ text: token }]),
    reasoning: (token) => chunk([{ text: token, thought: true }]),
    toolCalls: (calls) => chunk(calls.map(functionCall)),
    close: (ending) => chunk([{ text: '' }], ending),
  }),
  whole: (reply) => ({
    ...head,
    candidates: [
      {
        index: 0,
        content: {
          role: 'model',
          parts: [...(reply.text === '' ? [] : [{ text: reply.text }]), ...reply.calls.map(functionCall)],
        },
        finishReason: reasons[reply.reason],
      },
    ],
    ...(reply.usage ? { usageMetadata: googleUsage(reply.usage) } : {}),
  }),
};

function chunk(parts: object[], ending?: Ending): string {
  return frame({
    ...head,
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts },
        ...(ending ? { finishReason: reasons[ending.reason] } : {}),
      },
    ],
    ...(ending?.usage ? { usageMetadata: googleUsage(ending.usage) } : {}),
  });
}

function functionCall(call: Parameters<typeof argumentObject>[0]): object {
  return {
    functionCall: { id: call.id, name: call.name, args: argumentObject(call) },
    ...(call.signature ? { thoughtSignature: call.signature } : {}),
  };
}

function googleUsage({ inputTokens, cachedInputTokens, outputTokens }: ScriptedUsage): object {
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens,
    totalTokenCount: inputTokens + outputTokens,
    cachedContentTokenCount: cachedInputTokens,
  };
}
