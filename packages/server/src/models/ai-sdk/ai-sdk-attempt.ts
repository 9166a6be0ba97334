import type { LanguageModelV4 } from '@ai-sdk/provider';
import { replyBroken } from '../model-error.ts';
import type { Connection } from '../providers/provider.ts';
import type { ReplyAttempt } from '../reply-attempt.ts';
import { estimateUsage } from '../token-estimate.ts';
import { callOptions } from './call-options.ts';
import { createStreamReader } from './stream-reader.ts';
import { toModelError } from './to-model-error.ts';

/**
 * A model of the AI SDK, at its provider level: one request, one stream, no agent loop. The SDK is loaded with the
 * first reply, so that only services that use it pay for it.
 */
export function createAiSdkAttempt(
  load: () => Promise<LanguageModelV4>,
  { identity }: Pick<Connection, 'identity'>,
): ReplyAttempt {
  const id = `${identity.provider}/${identity.modelName}`;
  return async (request, onPart, watch) => {
    const read = createStreamReader({
      modelId: id,
      onToken: (bytes) => watch.onToken(bytes),
      estimate: (output) => estimateUsage(request, output),
      onFailure: (error) => toModelError(identity, error),
      onBroken: (what) => replyBroken(identity, what),
    });
    try {
      const source = await load();
      const { stream } = await source.doStream(callOptions(id, request, watch.signal));
      const reader = stream.getReader();
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        const part = read(next.value);
        if (part?.type === 'finish') drain(reader);
        if (part) onPart(part);
        if (part?.type === 'finish') return;
      }
    } catch (error) {
      throw toModelError(identity, error);
    }
    throw replyBroken(identity, 'ended before it was finished');
  };
}

const drainWithinMs = 1_000;

/**
 * Reads what follows the last part, in the background: a stream that is read to its end gives its connection back to the
 * pool. The reply is complete, so later failures do not matter.
 */
function drain(reader: ReadableStreamDefaultReader<unknown>): void {
  const timer = setTimeout(() => {
    reader.cancel().catch(ignore);
  }, drainWithinMs).unref();
  readOn(reader)
    .catch(ignore)
    .finally(() => clearTimeout(timer));
}

async function readOn(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  while (!(await reader.read()).done);
}

function ignore(): void {}
