import type { TrustedLane } from '../../src/egress/trusted-lane.ts';
import type { Model, ModelPart, ModelRequest } from '../../src/models/model.ts';
import { createModelRegistry, type ModelRegistryOptions } from '../../src/models/model-registry.ts';
import type { ScriptedModel } from '../scripted-model/server.ts';

export const canaryKey = 'sk-canary-5f1d9c7e2b';

export type TestedWire = 'chat' | 'responses' | 'anthropic' | 'google';
export const testedWires: readonly TestedWire[] = ['chat', 'responses', 'anthropic', 'google'];

type Tuning = Pick<ModelRegistryOptions, 'limits' | 'retry'>;

/** A client of the scripted model that does not wait between retries, so that failures are quick. */
export function modelOn(
  wire: TestedWire,
  scripted: Pick<ScriptedModel, 'url'>,
  lane: TrustedLane,
  tuning: Tuning = {},
): Model {
  const openAi = scripted.url('openai');
  const registry = createModelRegistry({
    providers: {
      // The `responses` wire is used only with OpenAI's own address.
      openai: { apiKey: canaryKey, ...(wire === 'chat' && { baseUrl: openAi }) },
      anthropic: { apiKey: canaryKey, baseUrl: scripted.url('anthropic') },
      google: { apiKey: canaryKey, baseUrl: scripted.url('google') },
    },
    lane: wire === 'responses' ? toScripted(lane, openAi) : lane,
    limits: { firstTokenMs: 5_000, betweenTokensMs: 5_000, ...tuning.limits },
    retry: { sleep: () => Promise.resolve(), ...tuning.retry },
  });
  return registry.resolve(modelIdOf(wire));
}

/** Sends requests for OpenAI's own address to the scripted model. */
function toScripted(lane: TrustedLane, openAi: string): TrustedLane {
  const redirected = ({ href }: URL) => new URL(href.replace('https://api.openai.com/v1', openAi));
  return { ...lane, post: (url, request) => lane.post(redirected(url), request) };
}

export function modelIdOf(wire: TestedWire): string {
  if (wire === 'anthropic') return 'anthropic/claude-sonnet-4-5';
  return wire === 'google' ? 'google/gemini-2.5-flash' : 'openai/gpt-4o';
}

export const hello: ModelRequest = { messages: [{ role: 'user', content: 'hello' }] };

export interface CollectedReply {
  parts: ModelPart[];
  text: string;
}

function textOf(parts: readonly ModelPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

export async function reply(model: Model, request: ModelRequest = hello): Promise<CollectedReply> {
  const parts: ModelPart[] = [];
  await model.reply(request, (part) => void parts.push(part), new AbortController().signal);
  return { parts, text: textOf(parts) };
}

/** Everything that a caller or a log could see of an error. */
export function everythingIn(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? '';
  const own = JSON.stringify(Object.fromEntries(Object.entries(error)));
  return [error.name, error.message, error.stack, own, error.cause ? everythingIn(error.cause) : ''].join(
    '\n',
  );
}

export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a failure');
}
