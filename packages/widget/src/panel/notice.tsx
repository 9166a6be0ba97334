/** @jsxImportSource preact */
import type { Trouble } from '../client/chat-state.ts';
import { useClock } from './hooks.ts';
import { Icon } from './icon.tsx';
import { fill } from './texts.ts';
import { isBlocked, type View, type Viewing } from './view.ts';

/** Why there is no answer, and what the visitor can do about it. */
export function Notice({ view }: Viewing) {
  const { state, store, texts } = view;
  const { trouble, messages } = state;
  const retryAt = trouble?.kind === 'rate_limited' ? trouble.retryAt : 0;
  const now = useClock(retryAt > 0);
  const hasUnsent = messages.some((message) => message.state === 'failed');
  const text = isBlocked(view) ? texts.blocked : trouble ? explain(trouble, view, now) : hasUnsent && texts.notSent;
  if (!text) return null;
  const canRetry = !isBlocked(view) && (hasUnsent || trouble?.kind === 'failed') && now >= retryAt;
  return (
    <div class={messages.at(-1)?.from === 'visitor' ? 'notice own' : 'notice'}>
      <p role="alert">
        <Icon name="warning" />
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
  switch (trouble.kind) {
    case 'rate_limited': {
      const minutes = Math.max(1, Math.ceil((trouble.retryAt - now) / 60_000));
      const format = new Intl.RelativeTimeFormat(language);
      const [amount, unit] = minutes < 60 ? ([minutes, 'minute'] as const) : ([Math.ceil(minutes / 60), 'hour'] as const);
      return now < trouble.retryAt ? fill(texts.rateLimited, { when: format.format(amount, unit) }) : texts.notSent;
    }
    case 'resting':
      return texts.resting;
    case 'failed':
      return texts.failed;
    case 'outage':
      return texts.outage;
    case 'blocked':
      return texts.blocked;
  }
}
