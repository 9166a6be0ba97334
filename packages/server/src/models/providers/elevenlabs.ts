import type { Provider, SpeechAccess } from './provider.ts';

export const elevenlabsSpeech = {
  baseUrl: 'https://api.elevenlabs.io',
  voicePath: (voice: string) => `/v1/voices/${voice}`,
  headers: (apiKey: string) => ({ 'xi-api-key': apiKey }),
} satisfies SpeechAccess;

export const elevenlabs: Provider = {
  name: 'elevenlabs',
  access: { keyVariable: 'ELEVENLABS_API_KEY', urlVariable: 'ELEVENLABS_BASE_URL', isKeyRequired: true },
  speech: elevenlabsSpeech,
};
