import type { NewInvitation } from '@svc/contract/console-session';
import type { Role } from '@svc/contract/roles';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../../../api/client.ts';
import { invite } from '../../../api/members.ts';
import { systemQuery } from '../../../api/system.ts';
import { useSubmit } from '../../../app/use-submit.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { exactTime } from '../../../format/time.ts';
import { Button } from '../../../kit/buttons.tsx';
import { Dialog, FormDialog } from '../../../kit/dialogs.tsx';
import { RadioGroup, TextField } from '../../../kit/fields.tsx';
import { OneTimeText } from '../one-time-text.tsx';
import { roleOptions } from '../roles.ts';

/** Creates a link, and shows it once. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { api, name } = useWorkspace();
  const queries = useQueryClient();
  // Whoever opens a link that names nobody confirms an address by mail.
  const canBeOpen = useQuery(systemQuery(api)).data?.mail.is_ready === true;
  const [role, setRole] = useState<Role>('operator');
  const [email, setEmail] = useState('');
  const [created, setCreated] = useState<NewInvitation>();
  const { submit, isBusy, at, error } = useSubmit(async () => {
    const address = email.trim();
    setCreated(await invite(api, { role, ...(address && { email: address }) }));
    await queries.invalidateQueries({ queryKey: keys.lists(api, 'invitation') });
  }, ['email', 'role']);

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
            : 'Only this person can use the link.'
        }
        value={email}
        onChange={setEmail}
        error={at('email')}
      />
    </FormDialog>
  );
}
