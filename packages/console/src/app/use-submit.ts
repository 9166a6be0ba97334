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

/** A form of texts, whose fields show their own errors. `others` are what else it shows the errors of. */
export function useForm<Values extends Record<string, string>>(
  initial: Values,
  work: (values: Values) => Promise<unknown>,
  others: readonly string[] = [],
) {
  const { values, setValues, field } = useTexts(initial);
  const submission = useSubmit(() => work(values), [...Object.keys(initial), ...others]);
  return {
    ...submission,
    values,
    setValues,
    field: (name: keyof Values & string) => field(name, submission.at),
    onSubmit(event: FormEvent): void {
      event.preventDefault();
      // Enter submits a form with a single field even if its button is busy.
      if (!submission.isBusy) void submission.submit();
    },
  };
}

/** The texts of a form. `at` says what is wrong with one of them. */
export function useTexts<Values extends Record<string, string>>(initial: Values) {
  const [values, setValues] = useState(initial);
  return {
    values,
    setValues,
    /** What the field of a text needs. */
    field: <Name extends keyof Values & string>(name: Name, at: (path: string) => string | undefined) => ({
      value: values[name],
      onChange: (value: string) => setValues((before) => ({ ...before, [name]: value })),
      error: at(name),
    }),
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
