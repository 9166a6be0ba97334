import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { acceptInvitation, refreshSession } from '../../api/session.ts';
import { useForm } from '../../app/use-submit.ts';
import { Button } from '../../kit/buttons.tsx';
import { InlineError } from '../../kit/placeholders.tsx';
import { AccountFields, accountPaths } from './account-fields.tsx';

interface JoinAsNewPersonProps {
  token: string;
  /** The only person who can accept it. */
  invited: string;
}

export function JoinAsNewPerson({ token, invited }: JoinAsNewPersonProps) {
  const [fields, setFields] = useState({ name: '', email: invited, password: '' });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { onSubmit, isBusy, at, error } = useForm(async () => {
    const joined = await acceptInvitation({ token, ...fields, email: fields.email.trim() });
    await refreshSession(queries);
    await navigate({ href: `/w/${joined.workspace_id}`, replace: true });
  }, accountPaths);

  return (
    <>
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <AccountFields
          values={fields}
          onChange={(change) => setFields((before) => ({ ...before, ...change }))}
          at={at}
          isEmailFixed
        />
        {error !== undefined && <InlineError error={error} />}
        <Button type="submit" look="primary" isBusy={isBusy}>
          Create account and join
        </Button>
      </form>
      <p className="text-ink-2 text-sm">
        You have an account?{' '}
        <Link
          to="/sign-in"
          search={{ next: `/invite?token=${token}` }}
          className="font-medium text-accent-ink underline"
        >
          Sign in
        </Link>
      </p>
    </>
  );
}
