/** @jsxImportSource preact */
import { useRef } from 'preact/hooks';
import type { View } from './view.ts';

export function Composer({ view: { store, look, texts } }: { view: View }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const send = () => {
    const text = field.current?.value.trim();
    if (!text || !field.current) return;
    field.current.value = '';
    store.send(text);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea ref={field} rows={1} aria-label={texts.yourMessage} placeholder={look?.placeholder_text} />
      <button type="submit">{texts.send}</button>
    </form>
  );
}
