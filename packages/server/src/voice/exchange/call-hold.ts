import type { Hold, Quote } from '../../billing/billing.service.ts';
import type { VoicePrices } from '../../config/voice-prices.ts';
import type { Services } from '../../services.ts';
import { costOfUse, type PricedCall, type SpeechUse, totalOf } from './cost-of-use.ts';

/** What is needed to set money aside for a call. */
export type CallHoldDependencies = Pick<Services, 'billing' | 'creditOf' | 'nodeId'> & {
  prices: VoicePrices;
};

/** Long enough for the phone to ring, and for a few missed renewals. */
const lastsSeconds = 180;
const firstSeconds = 60;
/** Until the next renewal, and for the farewell. */
const leastSeconds = 10;
/** The call survives a moment in which a reply holds the rest of the balance. */
const usualSeconds = 30;
/** A bot that talks most of the time. */
const charactersPerSecond = 800 / 60;

/** The money of a call is set aside under the id of the call. */
export function holdOf(callId: string, nodeId: string): Hold {
  return { id: callId, nodeId, lastsSeconds };
}

/** What a call has used so far. */
export interface Used {
  milliseconds: number;
  characters: number;
}

/** The first minute: a call that cannot pay for it is not connected. */
export function quoteOfStart(prices: VoicePrices, call: PricedCall, speech: SpeechUse): Quote {
  const first = costOfNext(prices, call, speech, { milliseconds: 0, characters: 0 }, firstSeconds);
  return { least: first, usual: first, most: first };
}

/** The next seconds of a call that has used this much. */
export function quoteOfNext(prices: VoicePrices, call: PricedCall, speech: SpeechUse, used: Used): Quote {
  const usual = costOfNext(prices, call, speech, used, usualSeconds);
  return { least: costOfNext(prices, call, speech, used, leastSeconds), usual, most: usual };
}

function costOfNext(prices: VoicePrices, call: PricedCall, speech: SpeechUse, used: Used, seconds: number) {
  const later = {
    milliseconds: used.milliseconds + seconds * 1_000,
    characters: used.characters + charactersPerSecond * seconds,
  };
  const cost = (at: Used) => totalOf(costOfUse(prices, call, speech, at));
  return cost(later) - cost(used);
}
