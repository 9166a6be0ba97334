import type { Invitation, Member, MemberHolding, NewInvitation } from '@svc/contract/console-session';
import type { Role } from '@svc/contract/roles';
import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { UserMinus, UserPlus } from 'lucide-react';
import { useId, useState } from 'react';
import { keys } from '../../../api/client.ts';
import {
  changeRole,
  holdingsQuery,
  invitationsQuery,
  invite,
  membersQuery,
  removeMember,
  revokeInvitation,
} from '../../../api/members.ts';
import { refreshSession } from '../../../api/session.ts';
import { systemQuery } from '../../../api/system.ts';
import { useSubmit } from '../../../app/use-submit.ts';
import { useRead, useWorkspace } from '../../../app/workspace.tsx';
import { exactTime } from '../../../format/time.ts';
import { Button, IconButton } from '../../../kit/buttons.tsx';
import { DataTable } from '../../../kit/data-table.tsx';
import { ConfirmDialog, Dialog, FormDialog } from '../../../kit/dialogs.tsx';
import { RadioGroup, Select, TextField } from '../../../kit/fields.tsx';
import { NameText, TimeAgo } from '../../../kit/labels.tsx';
import { BarLoading, InlineError, LoadError, RowsLoading } from '../../../kit/placeholders.tsx';
import { roleNames, roleOptions } from '../roles.ts';
import { OneTimeText, SettingsPage } from '../settings-page.tsx';

export function MembersPage() {
  const { can } = useWorkspace();
  const members = useRead(membersQuery);
  const [isInviting, setInviting] = useState(false);
  const isOwner = can('owner');
  return (
    <SettingsPage
      tab="members"
      actions={
        isOwner && (
          <Button look="primary" icon={<UserPlus aria-hidden />} onPress={() => setInviting(true)}>
            Invite
          </Button>
        )
      }
    >
      {members.isPending && <RowsLoading rows={3} />}
      {members.isError && <LoadError query={members} />}
      {members.data && <MemberTable members={members.data} />}
      {isOwner && <InvitationTable members={members.data ?? []} />}
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </SettingsPage>
  );
}

function MemberTable({ members }: { members: readonly Member[] }) {
  const { api, user, can } = useWorkspace();
  const queries = useQueryClient();
  const [removed, setRemoved] = useState<Member>();
  const isOwner = can('owner');
  const [demoted, setDemoted] = useState<{ member: Member; role: Role }>();

  async function change(member: Member, role: Role): Promise<void> {
    await changeRole(api, member.id, role);
    await queries.invalidateQueries({ queryKey: keys.lists(api, 'member') });
    if (member.id === user.id) await refreshSession(queries);
  }

  /** Asks first if something that they made stops working. */
  const { submit, error } = useSubmit(async (member: Member, role: Role) => {
    const held = await queries.fetchQuery(holdingsQuery(api, member.id, role));
    if (held.some((one) => one.is_revoked)) setDemoted({ member, role });
    else await change(member, role);
  });
  return (
    <>
      {error !== undefined && (
        <div className="p-4 md:px-6">
          <InlineError error={error} />
        </div>
      )}
      <DataTable
        label="Members"
        isLinked={false}
        rows={members}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Name',
            className: 'max-w-0 w-1/2',
            cell: (member) => (
              <div className="min-w-0">
                <p
                  className="truncate font-medium max-md:whitespace-normal max-md:break-words"
                  title={member.name}
                >
                  <NameText text={member.name} />
                  {member.id === user.id && <span className="font-normal text-ink-3"> (you)</span>}
                </p>
                <p
                  className="truncate text-ink-3 max-md:whitespace-normal max-md:break-all"
                  title={member.email}
                >
                  {member.email}
                </p>
              </div>
            ),
          },
          {
            title: 'Role',
            cell: (member) =>
              isOwner ? (
                <Select
                  label={`Role of ${member.name}`}
                  hideLabel
                  options={roleOptions}
                  value={member.role}
                  onChange={(role) => role !== member.role && void submit(member, role)}
                  className="w-28"
                />
              ) : (
                roleNames[member.role]
              ),
          },
          {
            title: 'Joined',
            isSecondary: true,
            cell: (member) => <TimeAgo at={member.created_at} />,
          },
          {
            title: 'Actions',
            isTitleHidden: true,
            className: 'w-12',
            cell: (member) =>
              (isOwner || member.id === user.id) && (
                <IconButton
                  label={member.id === user.id ? 'Leave the workspace' : `Remove ${member.name}`}
                  onPress={() => setRemoved(member)}
                  icon={<UserMinus aria-hidden />}
                />
              ),
          },
        ]}
      />
      {demoted && (
        <RoleDialog
          {...demoted}
          onConfirm={() => change(demoted.member, demoted.role)}
          onClose={() => setDemoted(undefined)}
        />
      )}
      {removed && <RemoveDialog member={removed} onClose={() => setRemoved(undefined)} />}
    </>
  );
}

/** Removes a member, or lets the person leave. */
function RemoveDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { api, name, user } = useWorkspace();
  const queries = useQueryClient();
  const isSelf = member.id === user.id;
  const holdings = useRead(holdingsQuery, member.id);

  async function remove(): Promise<void> {
    await removeMember(api, member.id);
    if (isSelf) location.assign('/');
    else await queries.invalidateQueries({ queryKey: keys.lists(api, 'member') });
  }

  return (
    <ConfirmDialog
      title={isSelf ? `Leave ${name}?` : `Remove ${member.name} from ${name}?`}
      action={isSelf ? 'Leave' : 'Remove'}
      isDisabled={!holdings.data}
      onClose={onClose}
      onConfirm={remove}
    >
      <p>
        {isSelf
          ? 'You lose access immediately. To come back you need an invitation.'
          : 'They lose access immediately, on open pages too. Bots, tools and knowledge that they made stay.'}
      </p>
      <HoldingList holdings={holdings} />
    </ConfirmDialog>
  );
}

interface RoleDialogProps {
  member: Member;
  role: Role;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Before a role is changed that some of what the member has made exceeds. */
function RoleDialog({ member, role, onConfirm, onClose }: RoleDialogProps) {
  const holdings = useRead(holdingsQuery, member.id, role);
  return (
    <ConfirmDialog
      title={`Change the role of ${member.name} to ${roleNames[role]}?`}
      action="Change role"
      isDisabled={!holdings.data}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <p>Some of what they made can do more than that role allows.</p>
      <HoldingList holdings={holdings} />
    </ConfirmDialog>
  );
}

const typeNames = {
  key: 'Key',
  machine: 'Machine',
  machine_use: 'Use of the machine',
  identity_secret: 'Identity secret of the widget key',
  approval_notice: 'Approval notices of the bot',
  invitation: 'Invitation for',
} satisfies Record<MemberHolding['type'], string>;

/** What a member has made or was given: first what stops working, then what stays. */
function HoldingList({ holdings }: { holdings: UseQueryResult<MemberHolding[]> }) {
  const { data, error, refetch } = holdings;
  if (error) return <InlineError error={error} onRetry={() => void refetch()} />;
  if (!data) {
    return <BarLoading className="w-2/3" />;
  }
  return (
    <>
      <Group title="These stop working immediately:" items={data.filter((one) => one.is_revoked)} />
      <Group title="These stay:" items={data.filter((one) => !one.is_revoked)} />
    </>
  );
}

function Group({ title, items }: { title: string; items: readonly MemberHolding[] }) {
  const id = useId();
  if (items.length === 0) return null;
  return (
    <div>
      <p id={id}>{title}</p>
      <ul aria-labelledby={id} className="mt-1 max-h-48 list-disc overflow-y-auto pl-5">
        {items.map((item) => (
          <li key={`${item.type} ${item.id}`} className="break-words">
            {typeNames[item.type]}{' '}
            <strong className="font-medium text-ink">
              <NameText text={item.name ?? 'anybody with the link'} />
            </strong>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Why the email is needed: whoever opened a link for anybody could claim any address. */
const mailNote = (
  <>
    Only this person can use the link, which you copy and send yourself. A link that anybody can use needs a
    mail server, to confirm their address. Whoever runs this installation can read how to set one up under{' '}
    <a
      href="/docs/guides/configuration"
      target="_blank"
      rel="noreferrer"
      className="text-accent-ink underline"
    >
      Configuration
    </a>
    .
  </>
);

/** Creates a link, and shows it once. */
function InviteDialog({ onClose }: { onClose: () => void }) {
  const { api, name } = useWorkspace();
  const queries = useQueryClient();
  // Whoever opens a link that names nobody confirms an address by mail.
  const canBeOpen = useRead(systemQuery).data?.mail.is_ready === true;
  const [role, setRole] = useState<Role>('operator');
  const [email, setEmail] = useState('');
  const [created, setCreated] = useState<NewInvitation>();
  const { submit, isBusy, at, error } = useSubmit(
    async () => {
      const address = email.trim();
      setCreated(await invite(api, { role, ...(address && { email: address }) }));
      await queries.invalidateQueries({ queryKey: keys.lists(api, 'invitation') });
    },
    { email, role },
  );

  if (created) {
    return (
      <Dialog
        title="Send this link"
        isAlert
        onClose={onClose}
        actions={
          <Button look="primary" onPress={onClose}>
            Done
          </Button>
        }
      >
        <OneTimeText label="Invitation link" text={created.url}>
          {`It works once, until ${exactTime(new Date(created.expires_at))}${created.email ? `, for ${created.email} only` : ''}. It cannot be shown again.`}
        </OneTimeText>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={`Invite to ${name}`}
      action="Create link"
      isBusy={isBusy}
      error={error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <RadioGroup label="Role" options={roleOptions} value={role} onChange={setRole} error={at('role')} />
      <TextField
        label={canBeOpen ? 'Email (optional)' : 'Email'}
        type="email"
        isRequired={!canBeOpen}
        description={
          canBeOpen
            ? 'If you enter one, only this person can use the link. Otherwise whoever opens it first confirms an address by mail.'
            : mailNote
        }
        value={email}
        onChange={setEmail}
        error={at('email')}
      />
    </FormDialog>
  );
}

/** Links that have not been used yet. Nothing is shown if there are none. */
function InvitationTable({ members }: { members: readonly Member[] }) {
  const { api } = useWorkspace();
  const queries = useQueryClient();
  const { data: invitations = [], error: unread, refetch } = useRead(invitationsQuery);
  const { submit, isBusy, error } = useSubmit(async ({ id }: Invitation) => {
    await revokeInvitation(api, id);
    await queries.invalidateQueries({ queryKey: keys.lists(api, 'invitation') });
  });
  const nameOf = (id: string | null) => members.find((member) => member.id === id)?.name;
  const failure = error ?? unread ?? undefined;
  if (invitations.length === 0 && failure === undefined) return null;
  return (
    <section className="mt-6">
      <h2 className="px-4 pb-2 font-semibold md:px-6">Invitations</h2>
      {failure !== undefined && (
        <div className="px-4 pb-2 md:px-6">
          <InlineError error={failure} {...(error === undefined && { onRetry: () => void refetch() })} />
        </div>
      )}
      <DataTable
        label="Invitations that nobody has accepted yet"
        isLinked={false}
        rows={invitations}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'For',
            className: 'max-w-0 w-1/2',
            cell: ({ email, created_by: by }) => (
              <div className="min-w-0">
                <p className="truncate font-medium" title={email ?? undefined}>
                  {email ?? 'Anybody with the link'}
                </p>
                <p className="truncate text-ink-3">{`by ${nameOf(by) ?? 'the command line'}`}</p>
              </div>
            ),
          },
          { title: 'Role', cell: ({ role }) => roleNames[role] },
          {
            title: 'Expires',
            isSecondary: true,
            cell: (invitation) => <TimeAgo at={invitation.expires_at} />,
          },
          {
            title: 'Actions',
            isTitleHidden: true,
            className: 'w-12 text-right',
            cell: (invitation) => (
              <Button
                size="small"
                aria-label={`Revoke the invitation for ${invitation.email ?? 'anybody'}`}
                isBusy={isBusy}
                onPress={() => void submit(invitation)}
              >
                Revoke
              </Button>
            ),
          },
        ]}
      />
    </section>
  );
}
