import type { Provider, SpeechAccess } from './provider.ts';

export const deepgramSpeech = {
  baseUrl: 'https://api.deepgram.com',
  headers: (apiKey: string) => ({ authorization: `Token ${apiKey}` }),
} satisfies SpeechAccess;

export const deepgram: Provider = {
  name: 'deepgram',
  access: { keyVariable: 'DEEPGRAM_API_KEY', urlVariable: 'DEEPGRAM_BASE_URL', isKeyRequired: true },
  speech: deepgramSpeech,
};
