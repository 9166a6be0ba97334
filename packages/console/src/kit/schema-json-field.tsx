import { useState } from 'react';
import type { FieldTexts } from './field-parts.tsx';
import { JsonEditor } from './json-editor.tsx';
import { jsonText, readJson } from './unreadable-json.ts';

interface JsonFieldProps extends FieldTexts {
  /** Any JSON, or UnreadableJson while it is being typed. */
  value: unknown;
  onChange: (value: unknown) => void;
  isReadOnly: boolean;
  className?: string;
}

/** A value edited as JSON. The text stays as it was typed: reformatting it would move the cursor. */
export function JsonField({ value, onChange, ...props }: JsonFieldProps) {
  const [text, setText] = useState(() => jsonText(value));
  const isCurrent = JSON.stringify(readJson(text)) === JSON.stringify(value);
  return (
    <JsonEditor
      {...props}
      text={isCurrent ? text : jsonText(value)}
      onChange={(next) => {
        setText(next);
        onChange(readJson(next));
      }}
    />
  );
}
