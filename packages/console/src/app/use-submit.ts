import { ApiError } from '@svc/client/api-error';
import { type FormEvent, useState } from 'react';

interface Submission<Input extends unknown[]> {
  submit(...input: Input): Promise<void>;
  isBusy: boolean;
  /** What is wrong with a field of the form. */
  at(path: string): string | undefined;
  /** What went wrong, unless a field shows it. */
  error: unknown;
}

interface FormSubmission extends Submission<[]> {
  onSubmit(event: FormEvent): void;
}

/** Sends a form. `fields` are those that show their own errors. */
export function useForm(work: () => Promise<unknown>, fields?: readonly string[]): FormSubmission {
  const submission = useSubmit(work, fields);
  return {
    ...submission,
    onSubmit(event) {
      event.preventDefault();
      // Enter submits a form with a single field even if its button is busy.
      if (!submission.isBusy) void submission.submit();
    },
  };
}

/** Work that a person started and that may fail. */
export function useSubmit<Input extends unknown[]>(
  work: (...input: Input) => Promise<unknown>,
  fields: readonly string[] = [],
): Submission<Input> {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();

  async function submit(...input: Input): Promise<void> {
    setBusy(true);
    setFailure(undefined);
    try {
      await work(...input);
    } catch (thrown) {
      setFailure(thrown);
    } finally {
      setBusy(false);
    }
  }

  const details = failure instanceof ApiError ? failure.details : [];
  const isShown =
    details.length > 0 && details.every(({ path }) => path !== undefined && fields.includes(path));
  return {
    submit,
    isBusy,
    at: (path) => sentence(details.find((detail) => detail.path === path)?.message),
    error: isShown ? undefined : failure,
  };
}

/** `is required` → `Is required.` */
function sentence(text: string | undefined): string | undefined {
  return text && `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
