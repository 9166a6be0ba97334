/** @jsxImportSource preact */
import type { TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Announcer } from './announcer.tsx';
import { themeColors } from './color.ts';
import { Composer } from './composer.tsx';
import { Header } from './header.tsx';
import { useMediaQuery, useVisualViewport } from './hooks.ts';
import { MessageLog } from './message-log.tsx';
import { unavailability, type Viewing } from './view.ts';

const neutral = '#52525b';

export function Panel({ view }: Viewing) {
  const { look, settings, state, texts, isOpen, voice, form, history } = view;
  const panel = useRef<HTMLDivElement>(null);
  // Here, because it is kept while the chat cannot be used.
  const draft = useState('');
  const prefersDark = useMediaQuery('(prefers-color-scheme: dark)');
  const isFullScreen = useMediaQuery('(max-width: 479px), (max-height: 499px)');
  useVisualViewport(panel);

  const system = prefersDark ? 'dark' : 'light';
  const theme = settings.theme === 'auto' ? system : settings.theme;
  const colors = themeColors(look?.theme_color ?? neutral, theme);
  const style = Object.fromEntries(Object.entries(colors).map(([name, color]) => [`--${name}`, color]));
  const isUsable = !unavailability(view);

  useLayoutEffect(() => {
    if (!isOpen) return;
    // On a phone the keyboard would cover what there is to read, so it waits until the visitor wants to write.
    const isTouched = matchMedia('(pointer: coarse)').matches;
    const field = isTouched ? null : panel.current?.querySelector<HTMLElement>('textarea, input');
    (field ?? panel.current)?.focus({ preventScroll: true });
  }, [isOpen]);

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    if (event.key === 'Escape' && !event.isComposing) (history?.back ?? view.close)();
    if (event.key === 'Tab' && isFullScreen) keepFocusInside(event);
  };

  return (
    <div
      ref={panel}
      class={`panel ${theme} ${isFullScreen ? 'full' : (look?.position ?? 'bottom-right').replace('-', ' ')}`}
      style={style}
      role="dialog"
      aria-labelledby="title"
      aria-modal={isFullScreen}
      tabIndex={-1}
      dir={settings.direction}
      lang={view.language}
      hidden={!isOpen}
      onKeyDown={onKeyDown}
    >
      <Header view={view} />
      {history && <div key="history" ref={history.mount} />}
      <div class="body">
        <MessageLog view={view} />
        {!state.isOnline && <p class="offline">{texts.offline}</p>}
      </div>
      {isUsable && look?.closed_text && (
        <p class="closed" dir="auto">
          {look.closed_text}
        </p>
      )}
      {voice?.mount ? (
        <div key="call" ref={voice.mount} />
      ) : (
        isUsable &&
        (form === null ? <Composer view={view} draft={draft} /> : form && <div key="form" ref={form.mount} />)
      )}
      {look?.show_branding && <p class="branding">{texts.poweredBy}</p>}
      <Announcer view={view} />
    </div>
  );
}

/** From the last control to the first, and back. */
function keepFocusInside(event: TargetedKeyboardEvent<HTMLElement>): void {
  const panel = event.currentTarget;
  const controls = [
    ...panel.querySelectorAll<HTMLElement>('a[href], button:enabled, input, textarea, [tabindex="0"]'),
  ].filter(({ offsetParent }) => offsetParent);
  const focused = (panel.getRootNode() as ShadowRoot).activeElement;
  const [from, to] = event.shiftKey ? [controls[0], controls.at(-1)] : [controls.at(-1), controls[0]];
  if (focused !== from && focused !== panel) return;
  event.preventDefault();
  to?.focus();
}
