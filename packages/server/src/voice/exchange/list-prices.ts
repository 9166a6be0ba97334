import { parseUsd } from '../../money.ts';
import type { VoicePriceOverrides } from '../../voice-config.ts';
import type { VoicePrices } from './voice-prices.ts';

/**
 * List prices as published in November 2026, of the models that we use. Trunks charge by contract, so they cost nothing here
 * unless it is configured.
 */
const listed: Required<VoicePriceOverrides> = {
  phone: { twilio: '0.014' },
  listening: { deepgram: '0.0077', elevenlabs: '0.0065' },
  speaking: { elevenlabs: '0.05', cartesia: '0.05' },
};

/** What calls cost besides models. Whatever has no price is free. */
export function createVoicePrices(overrides: VoicePriceOverrides = {}): VoicePrices {
  const priceOf = (kind: keyof VoicePriceOverrides) => (name: string) =>
    parseUsd(overrides[kind]?.[name] ?? listed[kind][name] ?? '0');
  return {
    phonePerMinute: priceOf('phone'),
    listeningPerMinute: priceOf('listening'),
    speakingPerThousandCharacters: priceOf('speaking'),
  };
}
