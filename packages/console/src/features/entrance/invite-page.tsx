import { ApiError } from '@svc/client/api-error';
import type { Role } from '@svc/contract/roles';
import { useQuery } from '@tanstack/react-query';
import { openInvitationQuery, sessionQuery } from '../../api/session.ts';
import { useSearchState } from '../../app/workspace.tsx';
import { Bar, InlineError, Loading } from '../../kit/placeholders.tsx';
import { ConfirmAddress } from './confirm-address.tsx';
import { EntranceFrame } from './entrance-frame.tsx';
import { JoinAsNewPerson } from './join-as-new-person.tsx';
import { JoinAsPerson } from './join-as-person.tsx';
import { LinkGone } from './link-gone.tsx';

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
        <Loading>
          <Bar className="w-2/3" />
        </Loading>
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
