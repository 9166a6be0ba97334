import { type NanoUsd, parseUsd } from '../lib/money.ts';

/** In US dollars. */
export interface VoicePrices {
  /** Per thousand characters, by provider. */
  speaking: Readonly<Record<string, number>>;
  /** Per minute, by provider. */
  listening: Readonly<Record<string, number>>;
  /** Per minute of a call, by transport and direction. */
  telephone: Readonly<Record<string, TelephonePrices>>;
}

interface TelephonePrices {
  inbound: number;
  outbound: number;
  /** In place of `outbound`, by how the dialed number begins: the longest that fits counts. */
  prefixes?: Readonly<Record<string, number>>;
}

/** A connection with a telephone, as far as its price depends on it. */
export interface TelephoneLeg {
  transport: string;
  direction: 'inbound' | 'outbound';
  /** The number that was dialed. */
  to: string | null;
}

/**
 * List prices, without temporary discounts: ElevenLabs Flash v2.5 and Scribe v2 Realtime; Cartesia Sonic at the price of a
 * credit in its smallest paid plan; Deepgram Nova-3, multilingual and streaming; Twilio for local numbers in the United States,
 * media streams included. Not all of them could be confirmed with the providers, and prices change: SVC_VOICE_PRICES replaces
 * them. Trunks bill by themselves, and local speech costs nothing.
 */
export const listPrices: VoicePrices = {
  speaking: { elevenlabs: 0.05, cartesia: 0.05, local: 0 },
  listening: { deepgram: 0.0092, elevenlabs: 0.0065, local: 0 },
  telephone: {
    twilio: { inbound: 0.0125, outbound: 0.018 },
    sip: { inbound: 0, outbound: 0 },
    web: { inbound: 0, outbound: 0 },
  },
};

export type VoicePriceOverrides = Partial<VoicePrices>;

/** The list prices with those of the operator in their place. */
export function withOverrides(overrides: VoicePriceOverrides): VoicePrices {
  return {
    speaking: { ...listPrices.speaking, ...overrides.speaking },
    listening: { ...listPrices.listening, ...overrides.listening },
    telephone: { ...listPrices.telephone, ...overrides.telephone },
  };
}

export function speakingCost(prices: VoicePrices, provider: string, characters: number): NanoUsd {
  return share(prices.speaking[provider] ?? 0, characters, 1_000);
}

export function listeningCost(prices: VoicePrices, provider: string, milliseconds: number): NanoUsd {
  return share(prices.listening[provider] ?? 0, milliseconds, 60_000);
}

/** Networks bill every minute that has begun. */
export function telephoneCost(
  prices: VoicePrices,
  { transport, direction, to }: TelephoneLeg,
  milliseconds: number,
): NanoUsd {
  const own = prices.telephone[transport];
  const special = direction === 'outbound' ? priceOfPrefix(own?.prefixes, to) : undefined;
  const usd = special ?? own?.[direction] ?? 0;
  return share(usd, Math.ceil(milliseconds / 60_000), 1);
}

function priceOfPrefix(prefixes: TelephonePrices['prefixes'] = {}, to: string | null): number | undefined {
  const digits = to?.replace(/^\+/, '') ?? '';
  const fitting = Object.entries(prefixes).filter(([prefix]) => digits.startsWith(prefix.replace(/^\+/, '')));
  return fitting.toSorted(([one], [other]) => lengthOf(other) - lengthOf(one))[0]?.[1];
}

const lengthOf = (prefix: string) => prefix.replace(/^\+/, '').length;

/** Rounded up, so that a balance is never charged less than the provider bills. */
function share(usd: number, amount: number, per: number): NanoUsd {
  const total = parseUsd(usd.toFixed(9)) * BigInt(Math.ceil(amount));
  const divisor = BigInt(per);
  return (total + divisor - 1n) / divisor;
}

/**
 * `{ "speaking": { "elevenlabs": 0.05 }, "listening": …, "telephone": { "twilio": { "inbound": 0.01, "outbound": 0.02,
 * "prefixes": { "+44": 0.03 } } } }`
 */
export function parseVoicePrices(text: string): VoicePriceOverrides | undefined {
  const table = parseObject(text);
  if (!table) return undefined;
  const { speaking = {}, listening = {}, telephone = {}, ...others } = table;
  const isFine =
    Object.keys(others).length === 0 &&
    isTable(speaking, isRate) &&
    isTable(listening, isRate) &&
    isTable(telephone, isTelephone);
  // Left out stays left out, so that no overrides are an empty object.
  return isFine ? table : undefined;
}

function isTable(value: unknown, isEntry: (entry: unknown) => boolean): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(isEntry)
  );
}

function isTelephone(entry: unknown): boolean {
  if (!isTable(entry, () => true)) return false;
  const { prefixes = {}, ...rates } = entry;
  const isFine = isTable(rates, isRate) && 'inbound' in rates && 'outbound' in rates;
  return (
    isFine &&
    isTable(prefixes, isRate) &&
    Object.keys(prefixes).every((one) => /^\+?[1-9]\d{0,14}$/.test(one))
  );
}

function isRate(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value < 1_000_000;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isTable(value, () => true) ? value : undefined;
  } catch {
    return undefined;
  }
}
