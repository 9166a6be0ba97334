/** @jsxImportSource preact */
import { useLayoutEffect, useRef } from './component-hooks.ts';
import { Icon } from './icon.tsx';
import { isBusy, type Viewing } from './view.ts';

/** As many as the service takes. */
const maxCharacters = 32_000;

interface ComposerInput extends Viewing {
  draft: [string, (text: string) => void];
}

export function Composer({ view: { state, store, look, texts, isOpen }, draft }: ComposerInput) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = draft;
  const canStop = isBusy(state);

  useLayoutEffect(() => {
    const { current } = field;
    // It has no height while the panel is closed.
    if (!current || !isOpen) return;
    current.style.height = 'auto';
    current.style.height = `${current.scrollHeight}px`;
  }, [text, isOpen]);

  const send = () => {
    field.current?.focus();
    if (canStop || !text.trim()) return;
    store.send(text.trim());
    setText('');
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        rows={1}
        // Without text it has the direction of the panel, as the placeholder has.
        dir={text ? 'auto' : undefined}
        maxLength={maxCharacters}
        enterkeyhint="send"
        aria-label={texts.yourMessage}
        placeholder={look?.placeholder_text}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <button
        // One button for both, so that it keeps the focus.
        type="button"
        class="send"
        aria-label={canStop ? texts.stop : texts.send}
        disabled={!canStop && !text.trim()}
        onClick={({ detail }) => {
          // The second click of a double-click would stop what the first has sent.
          if (detail > 1) return;
          if (canStop) store.stop();
          else send();
        }}
      >
        <Icon name={canStop ? 'stop' : 'send'} />
      </button>
    </form>
  );
}
