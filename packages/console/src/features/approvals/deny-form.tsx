import { useState } from 'react';
import { Button } from '../../kit/buttons.tsx';
import { TextAreaField } from '../../kit/fields.tsx';
import { InlineError } from '../../kit/placeholders.tsx';

interface DenyFormProps {
  error: unknown;
  isBusy: boolean;
  onDeny: (reason: string | undefined) => void;
  onCancel: () => void;
}

const maxReasonCharacters = 4_000;

export function DenyForm({ error, isBusy, onDeny, onCancel }: DenyFormProps) {
  const [reason, setReason] = useState('');
  const submit = () => onDeny(reason.trim() || undefined);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextAreaField
        label="Why?"
        description="Optional. The bot reads it and can try something else."
        value={reason}
        onChange={setReason}
        maxLength={maxReasonCharacters}
        autoFocus
        minRows={2}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit();
          else event.continuePropagation();
        }}
      />
      {error !== undefined && error !== null && <InlineError error={error} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onPress={onCancel}>Back</Button>
        <Button look="danger" type="submit" isBusy={isBusy}>
          Deny
        </Button>
      </div>
    </form>
  );
}
