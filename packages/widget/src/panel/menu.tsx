/** @jsxImportSource preact */
import { useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';
import type { Viewing } from './view.ts';

export function Menu({ view: { store, texts } }: Viewing) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const startNewConversation = (event: Event) => {
    const panel = (event.currentTarget as Element).closest('.panel');
    setOpen(false);
    store.startNewConversation();
    panel?.querySelector('textarea')?.focus();
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
          <button onClick={startNewConversation}>
            <Icon name="new" />
            {texts.newConversation}
          </button>
        </div>
      )}
    </div>
  );
}
