import type { Provider, SpeechAccess } from './provider.ts';

export const cartesiaSpeech = {
  baseUrl: 'https://api.cartesia.ai',
  voicePath: (voice: string) => `/voices/${voice}`,
  headers: (apiKey: string) => ({ authorization: `Bearer ${apiKey}`, 'cartesia-version': '2026-08-14' }),
} satisfies SpeechAccess;

export const cartesia: Provider = {
  name: 'cartesia',
  access: { keyVariable: 'CARTESIA_API_KEY', urlVariable: 'CARTESIA_BASE_URL', isKeyRequired: true },
  speech: cartesiaSpeech,
};
