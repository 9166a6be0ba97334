import { useEffect, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { sentence } from '../format/sentence.ts';
import { classes } from './classes.ts';
import type { CodeEditor } from './code-editor.ts';
import { type FieldTexts, TextAreaField } from './fields.tsx';

interface JsonEditorProps extends FieldTexts {
  /** JSON, possibly unfinished. */
  text: string;
  onChange: (text: string) => void;
  isReadOnly?: boolean;
  className?: string;
}

/** An editor for JSON. It is loaded when it is first needed; until then, and if it cannot be loaded, a plain field does. */
export function JsonEditor(props: JsonEditorProps) {
  const { label, hideLabel, description, error, text, onChange, isReadOnly = false } = props;
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | undefined>(undefined);
  const latest = useRef({ text, onChange });
  latest.current = { text, onChange };
  const [isLoaded, setLoaded] = useState(false);
  const id = useId();

  useEffect(() => {
    let isGone = false;
    async function load(): Promise<void> {
      const { openCodeEditor } = await import('./code-editor.ts');
      if (isGone || !place.current) return;
      const typedIn = focusedTextArea(place.current.parentElement);
      editor.current = openCodeEditor(place.current, {
        text: latest.current.text,
        isReadOnly,
        labelledBy: `${id}-label`,
        describedBy: `${id}-notes`,
        onChange: (next) => latest.current.onChange(next),
      });
      flushSync(() => setLoaded(true));
      // The next key goes where the one before went.
      if (typedIn) editor.current.focus(typedIn.selectionStart, typedIn.selectionEnd);
    }
    // Where it cannot be loaded, the plain field stays.
    load().catch(() => setLoaded(false));
    return () => {
      isGone = true;
      editor.current?.destroy();
      editor.current = undefined;
      setLoaded(false);
    };
  }, [id, isReadOnly]);

  useEffect(() => editor.current?.setText(text), [text]);

  return (
    <div className={classes('flex min-w-0 flex-col gap-1', props.className)}>
      {!isLoaded && (
        <TextAreaField
          label={label}
          {...(hideLabel && { hideLabel })}
          description={description}
          error={error}
          value={text}
          onChange={onChange}
          isReadOnly={isReadOnly}
          minRows={5}
          isCode
          spellCheck="false"
        />
      )}
      {isLoaded && (
        <span id={`${id}-label`} className={hideLabel ? 'sr-only' : 'font-medium text-sm'}>
          {label}
        </span>
      )}
      <div
        ref={place}
        hidden={!isLoaded}
        className={classes(
          'min-w-0 rounded-md border',
          error === undefined ? 'border-line-strong' : 'border-danger',
          isReadOnly ? 'bg-sunken' : 'bg-surface',
        )}
      />
      {isLoaded && (
        <div id={`${id}-notes`} {...(error !== undefined && { 'data-fault': true })} className="text-sm">
          {description && <p className="text-ink-3">{description}</p>}
          {error !== undefined && <p className="text-danger-ink">{sentence(error)}</p>}
        </div>
      )}
    </div>
  );
}

function focusedTextArea(within: HTMLElement | null): HTMLTextAreaElement | undefined {
  const focused = document.activeElement;
  return focused instanceof HTMLTextAreaElement && within?.contains(focused) ? focused : undefined;
}
