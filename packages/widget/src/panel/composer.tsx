/** @jsxImportSource preact */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';
import { fill } from './texts.ts';
import { isBusy, type Viewing } from './view.ts';

/** As many as the service takes. */
const maxCharacters = 32_000;

interface ComposerInput extends Viewing {
  draft: [string, (text: string) => void];
}

export function Composer({ view, draft }: ComposerInput) {
  const { state, store, look, texts, language, isOpen, talk, files, useFiles } = view;
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = draft;
  const canStop = isBusy(state);
  const message = text.trim();
  const isTooLong = message.length > maxCharacters;
  const isOff = !canStop && (isTooLong || !(files?.isReady() ?? message));

  useLayoutEffect(() => {
    const { current } = field;
    // It has no height while the panel is closed.
    if (!current || !isOpen) return;
    current.style.height = 'auto';
    current.style.height = `${current.scrollHeight}px`;
  }, [text, isOpen]);

  const send = () => {
    field.current?.focus();
    if (canStop || isOff) return;
    const sent = files?.take();
    // A message has a text.
    store.send(message || (sent ?? []).map(({ name }) => name).join(', '), sent && { attachments: sent });
    setText('');
  };

  return (
    <>
      {isTooLong && (
        <p class="limit" role="alert">
          {fill(texts.tooLong, maxCharacters.toLocaleString(language))}
        </p>
      )}
      {files && <div ref={files.mount} />}
      <div class="composer">
        <textarea
          ref={field}
          rows={1}
          // Without text it has the direction of the panel, as the placeholder has.
          dir={text ? 'auto' : undefined}
          enterkeyhint="send"
          aria-label={texts.yourMessage}
          aria-invalid={isTooLong}
          placeholder={look?.placeholder_text}
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            if (currentTarget.value) store.noteTyping();
          }}
          onPaste={({ clipboardData: data }) => {
            const pasted = [...(data?.files ?? [])];
            // What has a text, such as a part of a document, is pasted as text.
            if (look?.attachments && pasted[0] && !data?.getData('text'))
              useFiles((loaded) => loaded.add(pasted));
          }}
          onKeyDown={(event) => {
            // Safari reports the Enter that ends a composition as 229, after the composition.
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
            event.preventDefault();
            send();
          }}
        />
        {look?.attachments && (
          <button
            class="tool"
            aria-label={texts.attach}
            onClick={() => useFiles((loaded) => loaded.choose())}
          >
            <Icon name="clip" />
          </button>
        )}
        {look?.voice && navigator.mediaDevices && (
          <button class="tool talk" aria-label={texts.talk} onClick={talk}>
            <Icon name="talk" />
          </button>
        )}
        <button
          // One button for both, and never disabled, so that it keeps the focus.
          class="send"
          aria-label={canStop ? texts.stop : texts.send}
          aria-disabled={isOff}
          onClick={({ detail }) => {
            // The second click of a double-click would stop what the first has sent.
            if (detail > 1) return;
            if (canStop) store.stop();
            else send();
          }}
        >
          <Icon name={canStop ? 'stop' : 'send'} />
        </button>
      </div>
    </>
  );
}
