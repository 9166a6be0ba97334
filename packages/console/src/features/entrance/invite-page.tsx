import { ApiError } from '@svc/client/api-error';
import type { ConsoleUser } from '@svc/contract/console-session';
import type { Role } from '@svc/contract/roles';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  acceptInvitation,
  confirmInvitation,
  endSession,
  openInvitationQuery,
  refreshSession,
  sessionQuery,
} from '../../api/session.ts';
import { useForm, useSubmit } from '../../app/use-submit.ts';
import { useSearchState } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { TextField } from '../../kit/fields.tsx';
import { BarLoading, InlineError } from '../../kit/placeholders.tsx';
import { AccountFields, EntranceFrame, LinkGone } from './entrance-frame.tsx';

/** Joins a workspace with the link of an invitation. */
export function InvitePage() {
  const [{ token = '' }] = useSearchState();
  const session = useQuery(sessionQuery);
  const invitation = useQuery(openInvitationQuery(token));
  const failure = session.error ?? invitation.error;
  const isGone = failure instanceof ApiError && failure.at('token') !== undefined;
  if (token === '' || isGone)
    return <LinkGone>Ask the person who invited you, or another owner, for a new one.</LinkGone>;
  if (failure) {
    return (
      <EntranceFrame title="Invitation">
        <InlineError error={failure} onRetry={() => void invitation.refetch()} />
      </EntranceFrame>
    );
  }
  if (!session.data || !invitation.data) {
    return (
      <EntranceFrame title="Invitation">
        <BarLoading className="w-2/3" />
      </EntranceFrame>
    );
  }
  const { workspace_name: workspace, role, email } = invitation.data;
  const { user } = session.data;
  return (
    <EntranceFrame title={`Join ${workspace}`} lead={roleTexts[role]}>
      {email === null ? (
        <ConfirmAddress token={token} known={user?.email ?? ''} />
      ) : user ? (
        <JoinAsPerson token={token} user={user} invited={email} workspace={workspace} />
      ) : (
        <JoinAsNewPerson token={token} invited={email} />
      )}
    </EntranceFrame>
  );
}

/** What a new member may do. */
const roleTexts: Record<Role, string> = {
  viewer: 'As a viewer you can see everything except keys, quality and the audit log.',
  operator: 'As an operator you can answer, run and change bots, tools and knowledge.',
  owner: 'As an owner you can do everything, including members and keys.',
};

interface ConfirmAddressProps {
  token: string;
  /** Of the person who is signed in. */
  known: string;
}

/** An open invitation is sent to an address, which confirms it. */
function ConfirmAddress({ token, known }: ConfirmAddressProps) {
  const [sentTo, setSentTo] = useState<string>();
  const { field, onSubmit, isBusy, error } = useForm({ email: known }, async ({ email }) => {
    const address = email.trim();
    await confirmInvitation({ token, email: address });
    setSentTo(address);
  });

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
        {...field('email')}
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

interface JoinAsPersonProps {
  token: string;
  user: ConsoleUser;
  /** The only person who can accept it. */
  invited: string;
  workspace: string;
}

function JoinAsPerson({ token, user, invited, workspace }: JoinAsPersonProps) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const isForOther = invited !== user.email.toLowerCase();
  const join = useSubmit(async () => {
    const joined = await acceptInvitation({ token });
    await refreshSession(queries);
    await navigate({ href: `/w/${joined.workspace_id}`, replace: true });
  });
  const leave = useSubmit(async () => {
    await endSession();
    await refreshSession(queries);
  });
  const error = join.error ?? leave.error;
  return (
    <div className="flex flex-col gap-4">
      <p className="text-ink-2">
        {isForOther ? `This invitation is for ${invited}, and you` : 'You'} are signed in as{' '}
        <strong className="font-medium text-ink">{user.name}</strong> ({user.email}).
      </p>
      {error !== undefined && <InlineError error={error} />}
      {!isForOther && (
        <Button look="primary" isBusy={join.isBusy} onPress={() => void join.submit()}>
          {`Join ${workspace}`}
        </Button>
      )}
      <Button
        look={isForOther ? 'primary' : 'quiet'}
        isBusy={leave.isBusy}
        onPress={() => void leave.submit()}
      >
        Use another account
      </Button>
    </div>
  );
}

interface JoinAsNewPersonProps {
  token: string;
  /** The only person who can accept it. */
  invited: string;
}

function JoinAsNewPerson({ token, invited }: JoinAsNewPersonProps) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const initial = { name: '', email: invited, password: '' };
  const { field, onSubmit, isBusy, error } = useForm(initial, async (values) => {
    const joined = await acceptInvitation({ token, ...values, email: values.email.trim() });
    await refreshSession(queries);
    await navigate({ href: `/w/${joined.workspace_id}`, replace: true });
  });

  return (
    <>
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <AccountFields field={field} isEmailFixed />
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
