import { ApiError } from '@svc/client/api-error';
import type { Approval } from '@svc/contract/approvals';
import { findInexactNumber } from '@svc/contract/inexact-number';
import { visibleJson } from '@svc/contract/visible-text';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../kit/buttons.tsx';
import { TextAreaField, TextField } from '../../kit/fields.tsx';
import { InlineError } from '../../kit/placeholders.tsx';
import { fieldErrors, findFaults, findUnreadable } from '../../kit/schema-faults.ts';
import { type OwnField, SchemaForm } from '../../kit/schema-form.tsx';
import { useShowFault } from '../../kit/show-fault.ts';
import type { Faults } from '../../kit/uncorrected.ts';
import { useUncorrected } from '../../kit/use-uncorrected.ts';
import { actionBar } from './approval-request.tsx';
import { changedArguments } from './changed-arguments.ts';
import { fitsFields } from './editing.ts';
import { GrantlessNote } from './grant-choice.tsx';

interface ApprovalEditorProps {
  approval: Approval;
  /** The argument that is changed first. */
  first?: string | undefined;
  error: unknown;
  isBusy: boolean;
  /** What the arguments are while they are changed. */
  onType: (edited: Record<string, unknown>) => void;
  onApprove: (edited: Record<string, unknown>) => void;
  onCancel: () => void;
  /** Instead of going back, where there is nothing to go back to. */
  onDecline: () => void;
}

/** Changes the arguments before the call runs, or answers a question. What the service rejects is shown at its argument. */
export function ApprovalEditor(props: ApprovalEditorProps) {
  const { approval, first, error, isBusy, onType, onApprove, onCancel, onDecline } = props;
  const { arguments: proposed, arguments_schema: schema, is_question: isQuestion = false } = approval;
  const [isText, setText] = useState(!fitsFields(approval));
  const [value, setValue] = useState<Record<string, unknown>>(proposed);
  const [text, typeText] = useState(() => writeArguments(proposed));
  const [found, setFound] = useState<Faults>(new Map());
  const read = isText ? readArguments(text) : { value };
  const entered = 'problem' in read ? text : read.value;
  const faults = useUncorrected(found, entered);
  const canSwitch = 'problem' in read || !isText || fitsFields({ ...approval, arguments: read.value });
  const isChanged = 'problem' in read || changedArguments(proposed, read.value).length > 0;
  const rejected = error instanceof ApiError && error.code === 'VALIDATION_FAILED' ? error : undefined;
  const rejections = useUncorrected(
    useMemo(() => rejectionsIn(rejected), [rejected]),
    entered,
  );
  const errors = new Map([...rejections, ...faults]);
  useShowFault(error);
  useShowFault(found.size > 0 ? found : undefined);

  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // A question is there from the beginning, and must not take the focus from elsewhere.
    if (isQuestion) return;
    const wanted = form.current?.querySelector(`[data-field="${CSS.escape(first ?? '')}"]`) ?? form.current;
    wanted?.querySelector<HTMLElement>('input:not([readonly]), textarea:not([readonly]), button')?.focus();
  }, [isQuestion, first]);

  function switchView(): void {
    if ('problem' in read) return setFound(new Map([['', read.problem]]));
    const unreadable = findUnreadable(read.value);
    setFound(unreadable);
    if (unreadable.size > 0) return;
    if (isText) setValue(read.value);
    else typeText(writeArguments(value));
    setText(!isText);
  }

  function approve(): void {
    if ('problem' in read) return setFound(new Map([['', read.problem]]));
    const wrong = isText ? new Map<string, string>() : findFaults(schema, read.value);
    setFound(wrong);
    if (wrong.size === 0) onApprove(read.value);
  }

  return (
    <form
      ref={form}
      aria-label={isQuestion ? 'Answer' : 'Edit before it runs'}
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
            const now = readArguments(next);
            if ('value' in now) onType(now.value);
          }}
          isCode
          spellCheck="false"
          minRows={5}
          error={errors.get('')}
        />
      ) : (
        <SchemaForm
          schema={schema}
          value={value}
          onChange={(next) => {
            setValue(next);
            onType(next);
          }}
          errors={errors}
          ownField={argumentField}
        />
      )}
      {error !== undefined &&
        error !== null &&
        (!rejected || (!isText && fieldErrors(rejected, 'edited_args').size === 0)) && (
          <InlineError error={error} />
        )}
      <GrantlessNote approval={approval} />
      <div className={actionBar}>
        {canSwitch && (
          <Button look="quiet" className="mr-auto" onPress={switchView}>
            {isText ? 'Edit as fields' : 'Edit as JSON'}
          </Button>
        )}
        <Button onPress={isQuestion ? onDecline : onCancel}>{isQuestion ? 'Decline' : 'Back'}</Button>
        <Button look="primary" type="submit" isBusy={isBusy} isDisabled={!isChanged && !isQuestion}>
          {isQuestion ? 'Answer' : 'Approve with changes'}
        </Button>
      </div>
    </form>
  );
}

/** By argument, and all of them together for the text that holds all arguments. */
function rejectionsIn(rejected: ApiError | undefined): Faults {
  if (!rejected) return new Map();
  return fieldErrors(rejected, 'edited_args').set('', rejected.details.map(describe).join(' '));
}

/** `amount must be at most 100.` */
function describe({ path, message }: { path?: string; message?: string }): string {
  return `${path?.replace(/^edited_args\.?/, '') || 'The arguments'} ${message}.`;
}

/** Arguments that are fixed, and texts: a field of one line would change those of several. */
const argumentField: OwnField = ({ field, value, onChange, errors }) => {
  const { title, schema, name, kind, isRequired } = field;
  if ('const' in schema) {
    return (
      <TextField
        label={title}
        value={typeof schema['const'] === 'string' ? schema['const'] : JSON.stringify(schema['const'])}
        isReadOnly
        isCode
        description="Cannot be changed: the request was shown for exactly this."
      />
    );
  }
  if (kind !== 'text' && kind !== 'long-text') return undefined;
  return (
    <TextAreaField
      label={title}
      value={typeof value === 'string' ? value : ''}
      onChange={(text) => onChange(text === '' && !isRequired ? undefined : text)}
      minRows={1}
      isCode
      spellCheck="false"
      error={errors.get(name)}
    />
  );
};

type ReadArguments = { value: Record<string, unknown> } | { problem: string };

/** Arguments for editing as text: characters that would not be seen are escaped, and stay the same value. */
function writeArguments(value: Record<string, unknown>): string {
  return visibleJson(value);
}

/** What was typed as arguments. */
function readArguments(text: string): ReadArguments {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `This is not valid JSON: ${error instanceof Error ? error.message : 'unknown'}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'The arguments must be a JSON object, such as {"amount": 20}.' };
  }
  const inexact = findInexactNumber(text);
  if (inexact)
    return {
      problem: `${inexact} is too large to be kept exactly. Write it as a text, if the tool takes one.`,
    };
  return { value: value as Record<string, unknown> };
}
