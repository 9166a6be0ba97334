/** @jsxImportSource preact */
import type { Trouble } from '../client/chat-state.ts';
import { useClock } from './hooks.ts';
import { Icon } from './icon.tsx';
import { fill } from './texts.ts';
import { unavailability, type View, type Viewing } from './view.ts';

/** Why there is no answer, and what the visitor can do about it. */
export function Notice({ view }: Viewing) {
  const { state, store, texts } = view;
  const { trouble, messages } = state;
  const last = messages.at(-1);
  const retryAt = trouble?.kind === 'rate_limited' ? trouble.retryAt : 0;
  const now = useClock(retryAt > 0);
  const isUnsent = last?.state === 'failed';
  const unavailable = unavailability(view);
  const text = unavailable ?? (trouble ? explain(trouble, view, now) : isUnsent && texts.notSent);
  if (!text) return null;
  const canRetry = !unavailable && (isUnsent || trouble?.kind === 'failed') && now >= retryAt;
  const place = { visitor: 'own', bot: '', person: '', none: 'alone' }[last?.from ?? 'none'];
  return (
    <div class={`notice ${place}`}>
      <p role="alert">
        {last && <Icon name="warning" />}
        {text}
      </p>
      {canRetry && (
        <button type="button" class="link" onClick={() => store.retry()}>
          {texts.tryAgain}
        </button>
      )}
    </div>
  );
}

function explain(trouble: Trouble, { texts, language }: View, now: number): string {
  if (trouble.kind !== 'rate_limited') return texts[trouble.kind];
  const minutes = Math.ceil((trouble.retryAt - now) / 60_000);
  if (minutes <= 0) return texts.notSent;
  const format = new Intl.RelativeTimeFormat(language);
  const when =
    minutes < 60 ? format.format(minutes, 'minute') : format.format(Math.ceil(minutes / 60), 'hour');
  return fill(texts.rateLimited, { when });
}
