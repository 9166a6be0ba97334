import type { Provider } from './provider.ts';

export const deepgram: Provider = {
  name: 'deepgram',
  access: { keyVariable: 'DEEPGRAM_API_KEY', urlVariable: 'DEEPGRAM_BASE_URL', isKeyRequired: true },
};
