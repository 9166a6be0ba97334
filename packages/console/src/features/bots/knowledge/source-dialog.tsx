import { type FormEvent, useState } from 'react';
import { ApiError } from '../../../api/api-error.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { InlineError } from '../../../kit/inline-error.tsx';
import { TextAreaField, TextField } from '../../../kit/text-field.tsx';

export type SourceKind = 'text' | 'url';

export interface NewSource {
  content_type: SourceKind;
  title?: string;
  content?: string;
  url?: string;
}

interface SourceDialogProps {
  /** Undefined: closed. */
  kind: SourceKind | undefined;
  /** The verb of its button. */
  action: string;
  onClose: () => void;
  /** Throws if it failed: the dialog stays open with the reason. */
  onAdd: (source: NewSource) => Promise<unknown>;
}

/** A text that is pasted, or the address of a web page. */
export function SourceDialog({ kind, action, onClose, onAdd }: SourceDialogProps) {
  const [fields, setFields] = useState({ title: '', content: '', url: '' });
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const at = (path: string) => (error instanceof ApiError ? error.at(path) : undefined);
  const set = (name: keyof typeof fields) => (value: string) =>
    setFields((before) => ({ ...before, [name]: value }));

  async function add(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (!kind) return;
    setBusy(true);
    setError(undefined);
    try {
      await onAdd(
        kind === 'url'
          ? { content_type: 'url', url: withScheme(fields.url) }
          : { content_type: 'text', title: fields.title, content: fields.content },
      );
      setFields({ title: '', content: '', url: '' });
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  const isAt = ['title', 'content', 'url'].some((path) => at(path));
  return (
    <Dialog
      title={kind === 'url' ? 'Add a web page' : 'Paste a text'}
      isOpen={kind !== undefined}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form="add-source" isBusy={isBusy}>
            {action}
          </Button>
        </>
      }
    >
      <form id="add-source" onSubmit={(event) => void add(event)} className="flex flex-col gap-4">
        {kind === 'url' ? (
          <TextField
            label="Address"
            type="url"
            inputMode="url"
            isCode
            autoFocus
            placeholder="https://example.com/help"
            value={fields.url}
            onChange={set('url')}
            error={at('url')}
          />
        ) : (
          <>
            <TextField
              label="Title"
              autoFocus
              placeholder="Returns"
              value={fields.title}
              onChange={set('title')}
              error={at('title')}
            />
            <TextAreaField
              label="Text"
              minRows={8}
              maxRows={16}
              placeholder="Goods can be returned within 30 days…"
              value={fields.content}
              onChange={set('content')}
              error={at('content')}
            />
          </>
        )}
        {error !== undefined && !isAt && <InlineError error={error} />}
      </form>
    </Dialog>
  );
}

/** People leave out `https://`. */
function withScheme(address: string): string {
  const text = address.trim();
  return text === '' || /^https?:\/\//i.test(text) ? text : `https://${text}`;
}
