/** @jsxImportSource preact */
import { useClock } from './hooks.ts';
import { Icon } from './icon.tsx';
import { fill } from './texts.ts';
import { unavailability, type Viewing } from './view.ts';

/** Why there is no answer, and what the visitor can do about it. */
export function Notice({ view }: Viewing) {
  const { state, store, texts, language } = view;
  const { trouble, messages } = state;
  const last = messages.at(-1);
  const isUnsent = last?.state === 'failed';
  const retryAt = trouble?.kind === 'rate_limited' ? trouble.retryAt : 0;
  const now = useClock(retryAt > 0);
  const isLimited = retryAt > now;
  const unavailable = unavailability(view);

  let text = unavailable;
  if (isLimited) text ??= fill(texts.rateLimited, inMinutes(retryAt - now, language));
  else if (trouble && trouble.kind !== 'rate_limited' && !(isUnsent && trouble.kind === 'failed'))
    text ??= texts[trouble.kind];
  if (isUnsent) text ??= texts.notSent;
  if (!text) return null;

  const canRetry = !unavailable && !isLimited && (isUnsent || trouble?.kind === 'failed');
  return (
    <div class={`notice ${last?.from ?? 'alone'}`}>
      <p role="alert">
        {last && <Icon name="warning" />}
        {text}
      </p>
      {canRetry && (
        <button
          class="link"
          onClick={({ currentTarget }) => {
            // It is about to disappear.
            currentTarget.closest<HTMLElement>('.log')?.focus();
            store.retry();
          }}
        >
          {texts.tryAgain}
        </button>
      )}
    </div>
  );
}

/** Long times in steps of ten minutes, because screen readers read every change aloud. */
function inMinutes(milliseconds: number, language: string): string {
  const minutes = Math.max(1, Math.ceil(milliseconds / 60_000));
  const rounded = minutes > 10 ? Math.ceil(minutes / 10) * 10 : minutes;
  return new Intl.RelativeTimeFormat(language).format(rounded, 'minute');
}
