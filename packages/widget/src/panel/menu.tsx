/** @jsxImportSource preact */
import { useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';
import type { Viewing } from './view.ts';

export function Menu({ view: { store, texts, showHistory } }: Viewing) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const choose = (act: () => void) => () => {
    // The item is about to disappear.
    button.current?.focus();
    setOpen(false);
    act();
  };
  return (
    <div
      class="menu"
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) setOpen(false);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        // It closes the menu only.
        event.stopPropagation();
        setOpen(false);
        button.current?.focus();
      }}
    >
      <button
        ref={button}
        class="tool"
        aria-label={texts.menu}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="more" />
      </button>
      {isOpen && (
        <div class="items">
          <button
            onClick={choose(() => {
              store.startNewConversation();
              button.current?.closest('.panel')?.querySelector<HTMLElement>('div.composer textarea')?.focus();
            })}
          >
            {texts.newConversation}
          </button>
          <button onClick={choose(showHistory)}>{texts.history}</button>
        </div>
      )}
    </div>
  );
}
