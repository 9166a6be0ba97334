import { pathToFileURL } from 'node:url';
import type { ModelFiles } from './model-files.ts';
import { loadRuntime, sessionOptions, type Tensor } from './model-program.ts';
import { modelRate } from './model-samples.ts';

/** Turns samples at 16 kHz into text; `undefined` if it was abandoned meanwhile. */
export type Recognise = (samples: Float32Array, isAbandoned: () => boolean) => Promise<string | undefined>;

const [layers, heads, headSize] = [6, 8, 36];
const [firstToken, lastToken] = [1, 2];
/** People do not speak faster: what exceeds this is invented. */
const tokensPerSecond = 6.5;
const tokensAtLeast = 6;

/** Loads Moonshine, a small model of English speech. To be called in a separate process. */
export async function loadMoonshine(models: ModelFiles): Promise<Recognise> {
  const { Tensor, InferenceSession } = loadRuntime(models.runtime);
  const encoder = await InferenceSession.create(models.encoder, sessionOptions);
  const decoder = await InferenceSession.create(models.decoder, sessionOptions);
  const { default: tokenizer } = (await import(pathToFileURL(models.tokenizer).href)) as {
    default: { decode(tokens: number[]): string };
  };

  function emptyCache(): Record<string, Tensor> {
    const cache: Record<string, Tensor> = {};
    for (let layer = 0; layer < layers; layer += 1) {
      for (const part of ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value']) {
        cache[`past_key_values.${layer}.${part}`] = new Tensor('float32', new Float32Array(), [
          0,
          heads,
          1,
          headSize,
        ]);
      }
    }
    return cache;
  }

  return async (samples, isAbandoned) => {
    const input = new Tensor('float32', samples, [1, samples.length]);
    const { last_hidden_state: heard } = await encoder.run({ input_values: input });
    if (!heard) throw new Error('The encoder of speech has no output.');
    const cache = emptyCache();
    const tokens: number[] = [];
    let token: number = firstToken;
    const maxTokens = tokensAtLeast + Math.floor((samples.length / modelRate) * tokensPerSecond);
    while (tokens.length < maxTokens) {
      if (isAbandoned()) return undefined;
      const isFirst = tokens.length === 0;
      const { logits, ...outputs } = await decoder.run({
        input_ids: new Tensor('int64', BigInt64Array.of(BigInt(token)), [1, 1]),
        encoder_hidden_states: heard,
        use_cache_branch: new Tensor('bool', [!isFirst], [1]),
        ...cache,
      });
      token = indexOfLargest(logits?.data ?? new Float32Array());
      if (token === lastToken) break;
      tokens.push(token);
      for (const name of Object.keys(cache)) {
        const output = outputs[name.replace('past_key_values', 'present')];
        // What was computed from the audio stays the same after the first token.
        if (output && (isFirst || name.includes('decoder'))) cache[name] = output;
      }
    }
    return tokenizer.decode([firstToken, ...tokens]).trim();
  };
}

function indexOfLargest(values: Float32Array): number {
  let largest = 0;
  for (let index = 1; index < values.length; index += 1) {
    if ((values[index] ?? 0) > (values[largest] ?? 0)) largest = index;
  }
  return largest;
}
