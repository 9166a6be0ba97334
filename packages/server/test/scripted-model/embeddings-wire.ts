import type { ServerResponse } from 'node:http';
import type { Script, ScriptStep } from './script.ts';

export type EmbeddingsWireName = 'embeddings' | 'google-embeddings';

/** OpenAI's `/embeddings`, and Google's two methods. */
export function embeddingsWireOf(path: string): EmbeddingsWireName | undefined {
  if (path === '/v1/embeddings') return 'embeddings';
  return /^\/v1beta\/models\/[^/]+:(?:embedContent|batchEmbedContents)$/.test(path)
    ? 'google-embeddings'
    : undefined;
}

/**
 * Follows the script; without one it responds like a model: texts with common words have close vectors, and
 * a text has the same vector from every model of the same size.
 */
export function answerEmbeddings(
  wire: EmbeddingsWireName,
  body: Record<string, unknown>,
  script: Script | undefined,
  response: ServerResponse,
): void {
  const steps: readonly ScriptStep[] = script ? ('steps' in script ? script.steps : script) : [];
  const status = steps.find((step) => step.type === 'status');
  const raw = steps.find((step) => step.type === 'raw');
  if (steps.some(({ type }) => type === 'cut')) return void response.destroy();
  if (steps.some(({ type }) => type === 'hang')) return;
  response.writeHead(status?.status ?? 200, { 'content-type': 'application/json', ...status?.headers });
  if (raw) return void response.end(raw.text);
  const answer = status
    ? (status.body ?? {})
    : wire === 'embeddings'
      ? openAiAnswer(body)
      : googleAnswer(body);
  response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
}

/** The texts to embed. */
export function textsOf(wire: EmbeddingsWireName, body: Record<string, unknown>): string[] {
  if (wire === 'embeddings') return body['input'] as string[];
  const requests = (body['requests'] ?? [body]) as { content: { parts: { text: string }[] } }[];
  return requests.map(({ content }) => content.parts.map(({ text }) => text).join(''));
}

function openAiAnswer(body: Record<string, unknown>): object {
  const texts = textsOf('embeddings', body);
  const asBase64 = body['encoding_format'] === 'base64';
  const data = texts.map((text, index) => {
    const vector = scriptedVector(text);
    const bytes = () => Buffer.from(Float32Array.from(vector).buffer).toString('base64');
    return { object: 'embedding', index, embedding: asBase64 ? bytes() : vector };
  });
  const tokens = texts.join(' ').split(/\s+/).length;
  return {
    object: 'list',
    model: body['model'],
    // The order does not matter, because each has its index.
    data: data.toReversed(),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

function googleAnswer(body: Record<string, unknown>): object {
  const embeddings = textsOf('google-embeddings', body).map((text) => ({ values: scriptedVector(text) }));
  return 'requests' in body ? { embeddings } : { embedding: embeddings[0] };
}

const dimensions = 1536;

/** Not a unit vector, because some servers return such vectors. */
export function scriptedVector(text: string): number[] {
  const vector = Array.from({ length: dimensions }, () => 0.001);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let place = 7;
    for (const character of word) place = (place * 31 + (character.codePointAt(0) ?? 0)) % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}
