import { afterAll, describe, expect, test } from 'vitest';
import { createTrustedLane } from '../../src/egress/trusted-lane.ts';
import {
  createModelRegistry,
  type ModelRegistry,
  type ModelRegistryOptions,
} from '../../src/models/model-registry.ts';
import { hang, text } from '../scripted-model/script.ts';
import { startScriptedModel } from '../scripted-model/server.ts';
import { failureOf, hello, reply } from './support.ts';

const lane = createTrustedLane();
afterAll(() => lane.close());

const registryWith = (options: Partial<ModelRegistryOptions> = {}) =>
  createModelRegistry({ providers: {}, lane, ...options });

describe('the registry of models', () => {
  test.each([
    'gpt-4o',
    '',
    '/',
    'openai/',
    '/gpt',
    'openai/a b',
    'openai/\n',
    'OPENAI/x',
    'mistral/large',
    'openai/../x',
    'openai/a/../b',
    'openai/a..b',
    'openai/./x',
  ])('%j is refused, naming the field', (id) => {
    const registry = registryWith({ providers: { openai: { apiKey: 'k' } } });
    expect(() => registry.resolve(id)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_FAILED',
        details: [expect.objectContaining({ path: 'model' })],
      }),
    );
    expect(registry.faultOf(id)).toMatch(/provider/);
  });

  test.each(['openai/gpt-4o', 'anthropic/claude-opus-5', 'google/gemini-2.5-pro'])(
    '%s without a key: no model is configured',
    (id) => {
      const registry = registryWith({
        providers: { anthropic: { baseUrl: 'http://127.0.0.1:1' }, openai: {} },
      });
      expect(() => registry.resolve(id)).toThrow(expect.objectContaining({ code: 'NO_MODEL_CONFIGURED' }));
      expect(registry.faultOf(id)).toMatch(/not configured: set [A-Z_]+_API_KEY/);
    },
  );

  test('an OpenAI-compatible server needs only an address, and then no key is sent', async () => {
    const scripted = await startScriptedModel();
    scripted.enqueue([text('Hi.')]);
    const registry = registryWith({ providers: { openai: { baseUrl: `${scripted.url('openai')}/` } } });
    expect(registry.configured()).toEqual(['openai']);
    const model = registry.resolve('openai/meta-llama/llama-4:free');
    expect(model.id).toBe('openai/meta-llama/llama-4:free');
    await reply(model);
    expect(scripted.requests[0]).toMatchObject({
      wire: 'chat',
      body: { model: 'meta-llama/llama-4:free' },
      headers: expect.not.objectContaining({ authorization: expect.anything() }),
    });
    await scripted.close();
  });

  test.each(['anthropic', 'google'] as const)(
    '%s: an address without a path gets the usual one',
    async (provider) => {
      const scripted = await startScriptedModel();
      scripted.enqueue([text('Hi.')]);
      const baseUrl = new URL(scripted.url(provider)).origin;
      const registry = registryWith({ providers: { [provider]: { apiKey: 'k', baseUrl } } });
      const { text: said } = await reply(registry.resolve(registry.defaultModelId()));
      expect(said).toBe('Hi.');
      await scripted.close();
    },
  );

  test('the default is the configured one, else the first provider that has a key, else the built-in one', () => {
    const anthropic = { apiKey: 'k' };
    const google = { apiKey: 'k' };
    expect(registryWith().defaultModelId()).toBe('builtin/extractive');
    expect(registryWith({ providers: { google } }).defaultModelId()).toMatch(/^google\//);
    expect(registryWith({ providers: { google, anthropic } }).defaultModelId()).toMatch(/^anthropic\//);
    expect(registryWith({ providers: { google }, defaultModel: 'openai/x' }).defaultModelId()).toBe(
      'openai/x',
    );
  });

  test('JSON mode is used where the provider documents it, not for compatible servers', () => {
    const key = { apiKey: 'k' };
    const local = registryWith({ providers: { openai: { baseUrl: 'http://127.0.0.1:1/v1' } } });
    const hosted = registryWith({ providers: { openai: key, anthropic: key, google: key } });
    const modes = (registry: ModelRegistry, ...ids: string[]) =>
      ids.map((id) => registry.resolve(id).capabilities.jsonMode);
    expect(modes(hosted, 'openai/x', 'anthropic/x', 'google/x')).toEqual([true, false, true]);
    expect(modes(local, 'openai/x', 'builtin/extractive')).toEqual([false, false]);
    expect(hosted.ofBot({ model: 'builtin/extractive' }).capabilities.instructions).toBe(false);
    expect(hosted.ofBot({}).capabilities.instructions).toBe(true);
  });

  test('every default model has a price and a window', () => {
    for (const provider of ['openai', 'anthropic', 'google']) {
      const registry = registryWith({ providers: { [provider]: { apiKey: 'k' } } });
      const id = registry.defaultModelId();
      expect(registry.priceOf(id)).toBeDefined();
      expect(registry.resolve(id).contextWindow).toBeGreaterThan(100_000);
    }
  });

  test('the built-in model needs no configuration, is free and is the only one of its kind', () => {
    const registry = registryWith();
    expect(registry.resolve('builtin/extractive').id).toBe('builtin/extractive');
    expect(() => registry.resolve('builtin/wizard')).toThrow(
      expect.objectContaining({ code: 'VALIDATION_FAILED' }),
    );
    expect(registry.configured()).toEqual([]);
    expect(registry.priceOf('builtin/extractive')).toEqual({ input: 0, cachedInput: 0, output: 0 });
  });

  test('context windows depend on the family, with a conservative one for unknown models', () => {
    const registry = registryWith({ providers: { openai: { apiKey: 'k' } } });
    expect(registry.resolve('openai/gpt-4o-mini-2024-07-18').contextWindow).toBe(128_000);
    expect(registry.resolve('openai/who-knows').contextWindow).toBe(32_768);
  });

  test('a reasoning model is sent neither a temperature nor the old name of the token limit', async () => {
    const scripted = await startScriptedModel();
    scripted.respondWith([text('Hi.')]);
    const registry = registryWith({ providers: { openai: { baseUrl: scripted.url('openai') } } });
    for (const name of ['gpt-5.6-terra', 'openai/o3', 'gpt-5-chat-latest']) {
      await reply(registry.resolve(`openai/${name}`), { ...hello, temperature: 0.5, maxOutputTokens: 9 });
    }
    const [terra, o3, chat] = scripted.requests.map((request) => request.body);
    for (const body of [terra, o3]) {
      expect(body).toMatchObject({ max_completion_tokens: 9 });
      expect(body).not.toHaveProperty('temperature');
      expect(body).not.toHaveProperty('max_tokens');
    }
    expect(chat).toMatchObject({ temperature: 0.5, max_tokens: 9 });
    await scripted.close();
  });

  test('configured limits also apply to models that reason silently', async () => {
    const scripted = await startScriptedModel();
    scripted.enqueue([hang]);
    const registry = registryWith({
      providers: { openai: { baseUrl: scripted.url('openai') } },
      limits: { firstTokenMs: 30 },
    });
    expect(await failureOf(reply(registry.resolve('openai/gpt-5')))).toMatchObject({
      code: 'MODEL_UNAVAILABLE',
    });
    await scripted.close();
  });
});
