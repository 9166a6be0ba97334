import type { ProviderName } from '../shared/refusal.ts';

export const elevenLabsName: ProviderName = { label: 'ElevenLabs', keyVariable: 'ELEVENLABS_API_KEY' };
