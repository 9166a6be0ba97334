import { ApiError } from '@svc/client/api-error';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ImportSource } from '../../../api/tools.ts';
import { bytes } from '../../../format/numbers.ts';
import { Button } from '../../../kit/buttons.tsx';
import { TextAreaField, TextField } from '../../../kit/fields.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { fieldErrors } from '../../../kit/schema-faults.ts';

const maxDocumentBytes = 32 * 1024 * 1024;
/** A field with more text would make the page stand still. */
const maxFieldCharacters = 200_000;

interface SourceFormProps {
  onRead: (source: ImportSource) => Promise<void>;
  isDone: boolean;
  onAgain: () => void;
}

/** Where the document is: an address, a file, or the text itself. */
export function SourceForm({ onRead, isDone, onAgain }: SourceFormProps) {
  const [url, setUrl] = useState('');
  const [text, setText] = useState('');
  const file = useRef<HTMLInputElement>(null);
  const reading = useMutation({
    mutationFn: async (source: ImportSource | File) =>
      onRead(source instanceof File ? { documentation: await textOf(source) } : source),
  });
  const errors = fieldErrors(reading.error);
  if (isDone) {
    return (
      <Button className="self-start" onPress={onAgain}>
        Choose another document
      </Button>
    );
  }
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        reading.mutate(text.trim() ? { documentation: text } : { url: url.trim() });
      }}
    >
      <p className="text-ink-2">
        Each operation that you choose becomes a tool. Those that do more than read ask a person first.
      </p>
      <TextField
        label="Address of the document"
        inputMode="url"
        placeholder="https://api.example.com/openapi.json"
        value={url}
        onChange={setUrl}
        error={errors.get('url')}
        isDisabled={text.trim() !== ''}
      />
      <TextAreaField
        label="Or paste it"
        placeholder="openapi: 3.1.0"
        description="OpenAPI 3, in JSON or YAML."
        isCode
        spellCheck="false"
        minRows={6}
        maxRows={14}
        value={text}
        onChange={setText}
        onPaste={(event) => {
          const pasted = event.clipboardData.getData('text');
          if (pasted.length <= maxFieldCharacters || reading.isPending) return;
          event.preventDefault();
          reading.mutate({ documentation: pasted });
        }}
        error={errors.get('documentation')}
      />
      {reading.error && <InlineError error={reading.error} />}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          look="primary"
          isBusy={reading.isPending}
          isDisabled={url.trim() === '' && text.trim() === ''}
        >
          Read the document
        </Button>
        <Button isDisabled={reading.isPending} onPress={() => file.current?.click()}>
          Choose a file
        </Button>
        <input
          ref={file}
          type="file"
          hidden
          accept=".json,.yaml,.yml"
          aria-label="OpenAPI document"
          onChange={(event) => {
            const chosen = event.target.files?.[0];
            event.target.value = '';
            if (chosen) reading.mutate(chosen);
          }}
        />
      </div>
    </form>
  );
}

/** Throws if the service would not take it: sending it takes a while. */
async function textOf(file: File): Promise<string> {
  if (file.size <= maxDocumentBytes) return file.text();
  const message = `The file has ${bytes(file.size)}; at most ${bytes(maxDocumentBytes)} can be read.`;
  throw new ApiError({ status: 400, code: 'VALIDATION_FAILED', message });
}
