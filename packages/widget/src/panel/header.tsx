/** @jsxImportSource preact */
import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';
import type { Viewing } from './view.ts';

export function Header({ view }: Viewing) {
  const { look, state, texts, close } = view;
  const title = look?.title ?? '';
  const status = state.isHandedOff ? texts.personWillAnswer : look?.greeting_text;
  return (
    <header>
      {look && <Avatar key={look.avatar_url} url={look.avatar_url} title={title} />}
      <div class="heading">
        <h2 id="title" title={title}>
          <bdi>{title || texts.messages}</bdi>
        </h2>
        {status && (
          <p title={status}>
            <bdi>{status}</bdi>
          </p>
        )}
      </div>
      {(state.isKnown || state.messages[0]) && <Menu view={view} />}
      <button class="tool close" aria-label={texts.close} onClick={close}>
        <Icon name="close" />
      </button>
    </header>
  );
}

/** A picture, or the title's first letter where there is none or the page does not allow it. */
function Avatar({ url, title }: { url: string | null; title: string }) {
  const [isBroken, setBroken] = useState(false);
  const [initial = ''] = title.trim();
  return (
    <span class="avatar" aria-hidden="true">
      {url && !isBroken ? (
        // The service sends it only to pages that name their origin.
        <img crossOrigin="anonymous" src={url} alt="" onError={() => setBroken(true)} />
      ) : (
        initial.toUpperCase()
      )}
    </span>
  );
}
