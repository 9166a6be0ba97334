import { anthropic } from './anthropic.ts';
import { builtin } from './builtin.ts';
import { cartesia } from './cartesia.ts';
import { deepgram } from './deepgram.ts';
import { elevenlabs } from './elevenlabs.ts';
import { google } from './google.ts';
import { openai } from './openai.ts';
import type { Provider, ProviderConfig, ProviderConfigs } from './provider.ts';

/** All providers, in the order in which a usable one supplies the default model. */
export const providers: readonly Provider[] = [
  openai,
  anthropic,
  google,
  builtin,
  elevenlabs,
  cartesia,
  deepgram,
];

export function findProvider(name: string): Provider | undefined {
  return providers.find((provider) => provider.name === name);
}

export function isUsable({ name, access }: Provider, configs: ProviderConfigs): boolean {
  if (!access) return true;
  const { apiKey, baseUrl }: ProviderConfig = configs[name] ?? {};
  return Boolean(apiKey || (!access.isKeyRequired && baseUrl));
}

/** Whether a `provider/model` runs inside the service, and so costs nothing. */
export function isLocalModel(id: string): boolean {
  return providers.some(({ name, access }) => !access && id.startsWith(`${name}/`));
}
