import { ApiError } from '@svc/client/api-error';
import { type FormEvent, useMemo, useState } from 'react';
import { fieldErrors } from '../kit/schema-faults.ts';
import { useShowFault } from '../kit/show-fault.ts';
import { useUncorrected } from '../kit/use-uncorrected.ts';

type Values = Record<string, unknown>;

interface FieldErrors {
  /** What is wrong with a field of the form, until it is changed. */
  at(path: string): string | undefined;
  /** What went wrong, unless a field shows it. */
  error: unknown;
}

interface Submission<Input extends unknown[]> extends FieldErrors {
  submit(...input: Input): Promise<void>;
  isBusy: boolean;
}

/** A form of texts, whose fields show their own errors. `others` are what else is sent, and shows its errors. */
export function useForm<Texts extends Record<string, string>>(
  initial: Texts,
  work: (values: Texts) => Promise<unknown>,
  others: Values = {},
) {
  const { values, setValues, field } = useTexts(initial);
  const submission = useSubmit(() => work(values), { ...values, ...others });
  return {
    ...submission,
    values,
    setValues,
    field: (name: keyof Texts & string) => field(name, submission.at),
    onSubmit(event: FormEvent): void {
      event.preventDefault();
      // Enter submits a form with a single field even if its button is busy.
      if (!submission.isBusy) void submission.submit();
    },
  };
}

/** The texts of a form. `at` says what is wrong with one of them. */
export function useTexts<Texts extends Record<string, string>>(initial: Texts) {
  const [values, setValues] = useState(initial);
  return {
    values,
    setValues,
    /** What the field of a text needs. */
    field: <Name extends keyof Texts & string>(name: Name, at: (path: string) => string | undefined) => ({
      value: values[name],
      onChange: (value: string) => setValues((before) => ({ ...before, [name]: value })),
      error: at(name),
    }),
  };
}

/** Work that a person started and that may fail. `values` are those of the fields that show their own errors. */
export function useSubmit<Input extends unknown[]>(
  work: (...input: Input) => Promise<unknown>,
  values: Values = {},
): Submission<Input> {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const { at, error } = useFieldErrors(failure, values);

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

  return { submit, isBusy, at, error };
}

/** Sorts what a form that was sent got back to its fields; `values` are what they hold now, by the paths of the request. */
export function useFieldErrors(failure: unknown, values: Values): FieldErrors {
  const all = useMemo(() => fieldErrors(failure), [failure]);
  const faults = useUncorrected(all, values);
  useShowFault(failure);
  const isWithin = (path: string, field: string) => path === field || path.startsWith(`${field}.`);
  const details = failure instanceof ApiError ? failure.details : [];
  const isShown =
    details.length > 0 &&
    details.every(
      ({ path }) => path !== undefined && Object.keys(values).some((field) => isWithin(path, field)),
    );
  return {
    at: (field) => [...faults].find(([path]) => isWithin(path, field))?.[1],
    error: isShown ? undefined : (failure ?? undefined),
  };
}
