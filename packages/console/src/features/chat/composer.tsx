import { SendHorizontal, Square } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { Button } from '../../kit/buttons.tsx';
import { classes } from '../../kit/classes.ts';
import { TextAreaField } from '../../kit/fields.tsx';
import { InlineError } from '../../kit/placeholders.tsx';

/**
 * Props: `label` of the field; `placeholder`; `onSend(text)`, which throws if it failed: the text is then kept; `onStop` while a reply
 * is written, in place of Send; `sendsOnEnter`: Enter sends and Shift+Enter makes a new line, otherwise ⌘Enter sends; `sendLabel`; `disabledReason` says why nothing can be sent now;
 * `draft` keeps what is not sent when the composer is gone; `tools` are beside the field and can insert a text; `onSlash` is told of a `/` that is
 * typed into the empty field, `onAt` of an `@` at the beginning of a word: what `tools` insert then takes its place, or what was typed there comes after it; `onTyping` is told whether something is being written.
 */
interface ComposerProps {
  label: string;
  placeholder: string;
  onSend: (text: string) => Promise<unknown>;
  onStop?: (() => void) | undefined;
  sendsOnEnter?: boolean;
  sendLabel?: string;
  disabledReason?: string | undefined;
  draft?: { read(): string; write(text: string): void };
  tools?: (insert: (text: string) => void, complete: (typed: string) => void) => ReactNode;
  onSlash?: () => void;
  onAt?: () => void;
  onTyping?: (isTyping: boolean) => void;
  /** It stands below something that belongs to it, so without a line above it. */
  isNext?: boolean;
}

/** Where people write. */
export function Composer({
  label,
  placeholder,
  onSend,
  onStop,
  sendsOnEnter = true,
  sendLabel = 'Send',
  disabledReason,
  draft,
  tools,
  onSlash,
  onAt,
  onTyping,
  isNext = false,
}: ComposerProps) {
  const [text, setText] = useState(() => draft?.read() ?? '');
  const [isBusy, setBusy] = useState(false);
  /** Where a `/` or an `@` was typed for which something is being picked. */
  const at = useRef<number>(undefined);
  const keep = useEffectEvent(() => draft?.write(text));
  useEffect(() => {
    // A text stays a draft until it has been sent.
    if (!isBusy) keep();
  }, [text, isBusy]);
  const [error, setError] = useState<unknown>();
  const canSend = text.trim() !== '' && !isBusy && disabledReason === undefined && !onStop;

  async function send(): Promise<void> {
    if (!canSend) return;
    setBusy(true);
    setError(undefined);
    const sent = text;
    setText('');
    onTyping?.(false);
    try {
      await onSend(sent.trim());
      // Even if the person has left the conversation meanwhile.
      draft?.write('');
    } catch (failure) {
      // What was typed in the meantime comes after it.
      setText((typed) => (typed ? `${sent}\n${typed}` : sent));
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  /** In the place of a `/` or an `@`; otherwise as a line of its own. */
  function insert(inserted: string): void {
    const place = at.current;
    at.current = undefined;
    setText((typed) => {
      if (place !== undefined && /[/@]/.test(typed[place] ?? ''))
        return typed.slice(0, place) + inserted + typed.slice(place + 1);
      return typed ? `${typed}\n${inserted}` : inserted;
    });
  }

  /** Nothing was picked. */
  function complete(typed: string): void {
    const place = at.current;
    at.current = undefined;
    if (place !== undefined) setText(text.slice(0, place + 1) + typed + text.slice(place + 1));
  }

  function onKeyDown(event: KeyboardEvent): void {
    const { selectionStart: place, selectionEnd: end } = event.target as HTMLTextAreaElement;
    const isAt = event.key === '@' && /(^|\s)$/.test(text.slice(0, place));
    const open = isAt ? onAt : event.key === '/' && text === '' ? onSlash : undefined;
    if (open) {
      // What opens takes the focus before the browser would have written it.
      event.preventDefault();
      setText(text.slice(0, place) + event.key + text.slice(end));
      at.current = place;
      return open();
    }
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    const hasModifier = event.metaKey || event.ctrlKey;
    if (!hasModifier && (!sendsOnEnter || event.shiftKey)) return;
    event.preventDefault();
    void send();
  }

  return (
    <div className={classes('flex flex-col gap-2 border-line bg-surface px-4 py-3', !isNext && 'border-t')}>
      {error !== undefined && <InlineError error={error} />}
      <div className="flex items-end gap-2">
        {tools?.(insert, complete)}
        <TextAreaField
          label={label}
          hideLabel
          placeholder={placeholder}
          value={text}
          onChange={(typed) => {
            setText(typed);
            onTyping?.(typed.trim() !== '');
          }}
          onKeyDown={onKeyDown}
          minRows={1}
          maxRows={8}
          className="flex-1"
        />
        {onStop ? (
          <Button icon={<Square aria-hidden />} onPress={onStop}>
            Stop
          </Button>
        ) : (
          <Button
            look="primary"
            icon={<SendHorizontal aria-hidden />}
            isBusy={isBusy}
            isDisabled={!canSend}
            onPress={() => void send()}
          >
            {sendLabel}
          </Button>
        )}
      </div>
      {disabledReason !== undefined && <p className="text-ink-3 text-sm">{disabledReason}</p>}
    </div>
  );
}
