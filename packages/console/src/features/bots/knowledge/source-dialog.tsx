import { useMutation } from '@tanstack/react-query';
import { useFieldErrors, useTexts } from '../../../app/use-submit.ts';
import { withScheme } from '../../../format/with-scheme.ts';
import { FormDialog } from '../../../kit/dialogs.tsx';
import { TextAreaField, TextField } from '../../../kit/fields.tsx';

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

const empty = { title: '', content: '', url: '' };

/** A text that is pasted, or the address of a web page. */
export function SourceDialog({ kind, action, onClose, onAdd }: SourceDialogProps) {
  const { values, setValues, field } = useTexts(empty);
  const adding = useMutation({
    mutationFn: onAdd,
    onSuccess() {
      setValues(empty);
      onClose();
    },
  });
  const { at, error } = useFieldErrors(adding.error, values);

  function close(): void {
    adding.reset();
    onClose();
  }

  return (
    <FormDialog
      title={kind === 'url' ? 'Add a web page' : 'Paste a text'}
      action={action}
      isOpen={kind !== undefined}
      isBusy={adding.isPending}
      error={error}
      onSubmit={() =>
        adding.mutate(
          kind === 'url'
            ? { content_type: 'url', url: withScheme(values.url) }
            : { content_type: 'text', title: values.title, content: values.content },
        )
      }
      onClose={close}
    >
      {kind === 'url' ? (
        <TextField
          label="Address"
          type="url"
          inputMode="url"
          isCode
          autoFocus
          placeholder="https://example.com/help"
          {...field('url', at)}
        />
      ) : (
        <>
          <TextField label="Title" autoFocus placeholder="Returns" {...field('title', at)} />
          <TextAreaField
            label="Text"
            minRows={8}
            maxRows={16}
            placeholder="Goods can be returned within 30 days…"
            {...field('content', at)}
          />
        </>
      )}
    </FormDialog>
  );
}
