import { TextField } from '../kit/fields.tsx';

interface NewPasswordFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  autoFocus?: boolean;
}

/** A password that is chosen now. */
export function NewPasswordField(props: NewPasswordFieldProps) {
  return (
    <TextField
      {...props}
      type="password"
      autoComplete="new-password"
      description="At least 10 characters."
      isRequired
    />
  );
}
