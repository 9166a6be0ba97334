import { useState } from 'react';
import { confirmInvitation } from '../../api/session.ts';
import { useForm } from '../../app/use-submit.ts';
import { Button } from '../../kit/buttons.tsx';
import { TextField } from '../../kit/fields.tsx';
import { InlineError } from '../../kit/placeholders.tsx';

interface ConfirmAddressProps {
  token: string;
  /** Of the person who is signed in. */
  known: string;
}

/** An open invitation is sent to an address, which confirms it. */
export function ConfirmAddress({ token, known }: ConfirmAddressProps) {
  const [email, setEmail] = useState(known);
  const [sentTo, setSentTo] = useState<string>();
  const { onSubmit, isBusy, at, error } = useForm(async () => {
    const address = email.trim();
    await confirmInvitation({ token, email: address });
    setSentTo(address);
  }, ['email']);

  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-4">
      <p className="text-ink-2">
        Enter your email. We send you a link, with which you join: it works once, for 24 hours.
      </p>
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        autoFocus
        isRequired
        value={email}
        onChange={setEmail}
        error={at('email')}
      />
      {error !== undefined && <InlineError error={error} />}
      <p role="status" className={sentTo === undefined ? 'sr-only' : 'text-ink'}>
        {sentTo !== undefined && `We have sent a link to ${sentTo}. Open it to join.`}
      </p>
      <Button type="submit" look={sentTo === undefined ? 'primary' : 'secondary'} isBusy={isBusy}>
        {sentTo === undefined ? 'Send me a link' : 'Send another link'}
      </Button>
    </form>
  );
}
