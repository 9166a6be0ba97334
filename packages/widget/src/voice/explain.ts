import { isRefused } from '../client/widget-api.ts';
import type { Texts } from '../panel/texts.ts';
import type { VoiceTexts } from './texts.ts';

/** What the visitor is told when a call is over for this reason. */
export function explainEnd(reason: string, texts: Texts & VoiceTexts): string {
  if (reason === 'max_duration') return texts.voiceTimeUp;
  // Nobody but the site's owner can change that.
  if (/_(balance|limit)$/.test(reason)) return texts.resting;
  return /_(failed|lost|stopped)$/.test(reason) ? texts.voiceFailed : texts.voiceEnded;
}

/** Why a call could not begin. */
export function explainFailure(error: unknown, texts: Texts & VoiceTexts, language = 'en'): string {
  if (!isRefused(error)) {
    const { name } = error as Error;
    if (name === 'NotAllowedError') return texts.voiceRefused;
    return /^(Not|Over)/.test(name) ? texts.voiceMissing : texts.outage;
  }
  const { status, details, retryAfter } = error;
  const limit = details[0]?.['limit'];
  if (status === 402 || limit === 'visitor_usd_per_day') return texts.resting;
  if (status !== 429) return texts.outage;
  if (limit === 'voice_sessions_per_visitor') return texts.voiceElsewhere;
  const minutes = Math.max(1, Math.ceil(retryAfter / 60));
  return texts.rateLimited.replace('{when}', new Intl.RelativeTimeFormat(language).format(minutes, 'minute'));
}
