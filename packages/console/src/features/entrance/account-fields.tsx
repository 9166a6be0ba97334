import { NewPasswordField } from '../../app/new-password-field.tsx';
import { TextField } from '../../kit/fields.tsx';

export interface AccountFieldValues {
  name: string;
  email: string;
  password: string;
}

interface AccountFieldsProps {
  values: AccountFieldValues;
  onChange: (change: Partial<AccountFieldValues>) => void;
  at: (path: string) => string | undefined;
  /** The invitation names it. */
  isEmailFixed?: boolean;
}

/** The fields that show their own errors. */
export const accountPaths = ['name', 'email', 'password'];

/** Name, email and password of a new account. */
export function AccountFields({ values, onChange, at, isEmailFixed = false }: AccountFieldsProps) {
  return (
    <>
      <TextField
        label="Your name"
        autoComplete="name"
        autoFocus
        isRequired
        value={values.name}
        onChange={(name) => onChange({ name })}
        error={at('name')}
      />
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        isRequired
        isReadOnly={isEmailFixed}
        value={values.email}
        onChange={(email) => onChange({ email })}
        error={at('email')}
      />
      <NewPasswordField
        label="Password"
        value={values.password}
        onChange={(password) => onChange({ password })}
        error={at('password')}
      />
    </>
  );
}
