import { connectionFailed, providerRefused, replyBroken } from '../model-error.ts';
import { isOpenAi, openAiUrl } from '../openai/own-address.ts';
import type { EmbeddingConnection } from '../providers/provider.ts';
import { readBody } from '../read-body.ts';
import { estimateTokens } from '../token-estimate.ts';
import type { EmbeddingSource } from './embedding-source.ts';

const maxBytes = 64 * 1024 * 1024;

/** OpenAI's `/embeddings`, and that of any server that speaks its wire. */
export function createOpenAiEmbeddings({
  apiKey,
  baseUrl = openAiUrl,
  identity,
  lane,
}: EmbeddingConnection): EmbeddingSource {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/embeddings`);
  const headers = {
    'content-type': 'application/json',
    ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
  };
  // A third of the bytes, and no numbers to parse. Not every other server knows it.
  const format = isOpenAi(baseUrl) ? { encoding_format: 'base64' } : {};
  return {
    async embed(texts, _purpose, signal) {
      const body = JSON.stringify({ model: identity.modelName, input: texts, ...format });
      let answer: string;
      try {
        const response = await lane.post(url, { headers, body, signal });
        answer = await readBody(response, maxBytes);
        if (response.status < 200 || response.status >= 300) {
          throw providerRefused(identity, {
            status: response.status,
            headers: response.headers,
            body: answer,
          });
        }
      } catch (error) {
        throw connectionFailed(identity, error);
      }
      const { vectors, inputTokens } = parseAnswer(answer) ?? {};
      if (!vectors) throw replyBroken(identity, 'is not valid for the embeddings wire');
      return { vectors, inputTokens: inputTokens ?? estimateTokens(texts.join(' ')) };
    },
  };
}

interface Answer {
  vectors: ArrayLike<number>[];
  inputTokens: number | undefined;
}

function parseAnswer(text: string): Answer | undefined {
  const { data, usage } = parseJson(text);
  if (!Array.isArray(data)) return undefined;
  const vectors: ArrayLike<number>[] = [];
  for (const [place, item] of (data as { index?: unknown; embedding?: unknown }[]).entries()) {
    const vector = parseVector(item?.embedding);
    const { index = place } = item ?? {};
    if (!vector || typeof index !== 'number' || !(index in data)) return undefined;
    vectors[index] = vector;
  }
  // Two vectors for one text leave another text without any.
  if (vectors.includes(undefined as never)) return undefined;
  const tokens = (usage as { prompt_tokens?: unknown } | undefined)?.prompt_tokens;
  return { vectors, inputTokens: isCount(tokens) ? tokens : undefined };
}

function parseVector(embedding: unknown): ArrayLike<number> | undefined {
  if (Array.isArray(embedding)) {
    return embedding.every((value) => typeof value === 'number') ? embedding : undefined;
  }
  if (typeof embedding !== 'string') return undefined;
  const bytes = Buffer.from(embedding, 'base64');
  return Float32Array.from({ length: bytes.length >> 2 }, (_, index) => bytes.readFloatLE(index * 4));
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function parseJson(text: string): { data?: unknown; usage?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as { data?: unknown; usage?: unknown };
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
