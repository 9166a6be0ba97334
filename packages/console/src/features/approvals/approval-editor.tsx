import { ApiError } from '@svc/client/api-error';
import type { Approval } from '@svc/contract/approvals';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { InlineError } from '../../kit/inline-error.tsx';
import { fieldErrors, findFaults, findUnreadable } from '../../kit/schema-faults.ts';
import { SchemaForm } from '../../kit/schema-form.tsx';
import { TextAreaField } from '../../kit/text-field.tsx';
import { argumentField } from './argument-field.tsx';
import { changedArguments } from './changed-arguments.ts';
import { fitsFields } from './editing.ts';
import { readArguments, writeArguments } from './read-arguments.ts';

interface ApprovalEditorProps {
  approval: Approval;
  error: unknown;
  isBusy: boolean;
  onApprove: (edited: Record<string, unknown>) => void;
  onCancel: () => void;
}

/** Changes the arguments before the call runs. What the service rejects is shown at its argument. */
export function ApprovalEditor({ approval, error, isBusy, onApprove, onCancel }: ApprovalEditorProps) {
  const { arguments: proposed, arguments_schema: schema } = approval;
  const [isText, setText] = useState(!fitsFields(approval));
  const [value, setValue] = useState<Record<string, unknown>>(proposed);
  const [text, typeText] = useState(() => writeArguments(proposed));
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const read = isText ? readArguments(text) : { value };
  const canSwitch = 'problem' in read || !isText || fitsFields({ ...approval, arguments: read.value });
  const isChanged = 'problem' in read || changedArguments(proposed, read.value).length > 0;
  const rejected = error instanceof ApiError && error.code === 'VALIDATION_FAILED' ? error : undefined;
  const errors = new Map([...fieldErrors(rejected, 'edited_args'), ...faults]);

  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('input:not([readonly]), textarea:not([readonly])')?.focus();
  }, []);

  function switchView(): void {
    if ('problem' in read) return setFaults(new Map([['', read.problem]]));
    const found = findUnreadable(read.value);
    setFaults(found);
    if (found.size > 0) return;
    if (isText) setValue(read.value);
    else typeText(writeArguments(value));
    setText(!isText);
  }

  function approve(): void {
    if ('problem' in read) return setFaults(new Map([['', read.problem]]));
    const found = isText ? new Map<string, string>() : findFaults(schema, read.value);
    setFaults(found);
    if (found.size === 0) onApprove(read.value);
  }

  return (
    <form
      ref={form}
      aria-label="Edit before it runs"
      className="flex max-w-180 flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        approve();
      }}
    >
      {approval.context.kind === 'diff' && (
        <p className="rounded-md bg-info-tint px-3 py-2 text-info-ink text-sm">
          The diff above shows what was proposed. It does not contain what you change here.
        </p>
      )}
      {isText ? (
        <TextAreaField
          label="Arguments as JSON"
          value={text}
          onChange={(next) => {
            typeText(next);
            setFaults(new Map());
          }}
          isCode
          spellCheck="false"
          minRows={5}
          error={faults.get('') ?? rejected?.details.map(describe).join(' ')}
        />
      ) : (
        <SchemaForm
          schema={schema}
          value={value}
          onChange={setValue}
          errors={errors}
          ownField={argumentField}
        />
      )}
      {error !== undefined && error !== null && (!rejected || (!isText && errors.size === 0)) && (
        <InlineError error={error} />
      )}
      <div className="flex flex-wrap justify-end gap-2">
        {canSwitch && (
          <Button look="quiet" className="mr-auto" onPress={switchView}>
            {isText ? 'Edit as fields' : 'Edit as JSON'}
          </Button>
        )}
        <Button onPress={onCancel}>Back</Button>
        <Button look="primary" type="submit" isBusy={isBusy} isDisabled={!isChanged}>
          Approve with changes
        </Button>
      </div>
    </form>
  );
}

/** `amount must be at most 100.` */
function describe({ path, message }: { path?: string; message?: string }): string {
  return `${path?.replace(/^edited_args\.?/, '') || 'The arguments'} ${message}.`;
}
