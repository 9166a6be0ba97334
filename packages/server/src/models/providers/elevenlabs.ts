import type { Provider } from './provider.ts';

export const elevenlabs: Provider = {
  name: 'elevenlabs',
  access: { keyVariable: 'ELEVENLABS_API_KEY', urlVariable: 'ELEVENLABS_BASE_URL', isKeyRequired: true },
  voices: {
    baseUrl: 'https://api.elevenlabs.io',
    path: (voice) => `/v1/voices/${voice}`,
    headers: (apiKey) => ({ 'xi-api-key': apiKey }),
  },
};
