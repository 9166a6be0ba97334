import type { Provider } from './provider.ts';

export const cartesia: Provider = {
  name: 'cartesia',
  access: { keyVariable: 'CARTESIA_API_KEY', urlVariable: 'CARTESIA_BASE_URL', isKeyRequired: true },
  voices: {
    baseUrl: 'https://api.cartesia.ai',
    path: (voice) => `/voices/${voice}`,
    headers: (apiKey) => ({ authorization: `Bearer ${apiKey}`, 'cartesia-version': '2025-04-16' }),
  },
};
