import type { WidgetKey } from '@svc/contract/widgets';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { EllipsisVertical, Plus } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/client.ts';
import { createIdentitySecret, deleteIdentitySecret, revokeWidgetKey } from '../../api/widgets.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { money, plural } from '../../format/numbers.ts';
import { Button, CodeBlock, IconButton } from '../../kit/buttons.tsx';
import { ConfirmDialog, Dialog } from '../../kit/dialogs.tsx';
import { StateBadge, TimeAgo } from '../../kit/labels.tsx';
import { Menu } from '../../kit/menu.tsx';
import { InlineError } from '../../kit/placeholders.tsx';
import { KeyDialog } from './key-dialog.tsx';

type Task = { kind: 'create' } | { kind: 'edit' | 'revoke' | 'identity' | 'unverify'; key: WidgetKey };

/** The keys of a bot: for which sites, how much they allow, and where they were last seen. */
export function KeyList({ botId, widgetKeys }: { botId: string; widgetKeys: readonly WidgetKey[] }) {
  const { api, can } = useWorkspace();
  const client = useQueryClient();
  const [task, setTask] = useState<Task>();
  const close = () => setTask(undefined);
  const refresh = () => client.invalidateQueries({ queryKey: keys.all(api, 'widget') });
  const sorted = widgetKeys.toSorted((one, other) => Number(other.is_active) - Number(one.is_active));
  return (
    <section aria-labelledby="keys" className="flex flex-col gap-2 border-line border-b py-5">
      <div className="flex items-center justify-between gap-3 px-4 md:px-6">
        <h2 id="keys" className="font-semibold">
          Keys
        </h2>
        {can('operator') && widgetKeys.length > 0 && (
          <Button size="small" icon={<Plus aria-hidden />} onPress={() => setTask({ kind: 'create' })}>
            New key
          </Button>
        )}
      </div>
      {sorted.length === 0 && <p className="px-4 text-ink-2 md:px-6">No key yet.</p>}
      <ul>
        {sorted.map((key) => (
          <li key={key.id} className="flex items-start gap-3 border-line border-t px-4 py-3 md:px-6">
            <div className="flex min-w-0 flex-1 flex-col gap-0.5 text-sm">
              <p className="flex flex-wrap items-center gap-x-3">
                <span className="break-words font-medium text-base">{key.name}</span>
                {!key.is_active && <StateBadge state="idle" text="Revoked" />}
                {key.verifies_identity && <StateBadge state="success" text="Verifies users" />}
              </p>
              <p className="break-words text-ink-2">
                {key.allowed_domains.length > 0
                  ? key.allowed_domains.join(', ')
                  : 'No domain: works on pages of this service only.'}
              </p>
              <p className="text-ink-3">
                {plural(key.rate_limit_per_hour, 'message')} an hour, {key.visitor_messages_per_hour} per
                visitor,{' '}
                {key.visitor_usd_per_day === null
                  ? 'no limit of cost'
                  : `${money(key.visitor_usd_per_day)} per visitor and day`}
              </p>
              <p className="text-ink-3">
                {key.last_used_at ? (
                  <>
                    Seen on {key.last_used_host ?? 'a page'} <TimeAgo at={key.last_used_at} />
                  </>
                ) : (
                  'Not seen on any page yet'
                )}
              </p>
            </div>
            {can('operator') && key.is_active && (
              <Menu
                label={`Actions for ${key.name}`}
                entries={[
                  { label: 'Change…', onAction: () => setTask({ kind: 'edit', key }) },
                  {
                    label: key.verifies_identity ? 'Replace the identity secret…' : 'Verify users…',
                    onAction: () => setTask({ kind: 'identity', key }),
                  },
                  key.verifies_identity && {
                    label: 'Stop verifying users…',
                    onAction: () => setTask({ kind: 'unverify', key }),
                  },
                  {
                    label: 'Revoke…',
                    isDangerous: true,
                    isFirstOfGroup: true,
                    onAction: () => setTask({ kind: 'revoke', key }),
                  },
                ]}
              >
                <IconButton label={`Actions for ${key.name}`} icon={<EllipsisVertical aria-hidden />} />
              </Menu>
            )}
          </li>
        ))}
      </ul>
      {task?.kind === 'create' && <KeyDialog botId={botId} onClose={close} />}
      {task?.kind === 'edit' && <KeyDialog botId={botId} saved={task.key} onClose={close} />}
      {task?.kind === 'identity' && <IdentityDialog widgetKey={task.key} onClose={close} />}
      {task?.kind === 'unverify' && (
        <ConfirmDialog
          title={`Stop verifying users of ${task.key.name}?`}
          action="Stop verifying"
          onClose={close}
          onConfirm={async () => {
            await deleteIdentitySecret(api, task.key.id);
            await refresh();
          }}
        >
          <p>
            The secret is deleted. Signed-in users of the site become anonymous visitors, without their
            earlier chats.
          </p>
        </ConfirmDialog>
      )}
      {task?.kind === 'revoke' && (
        <ConfirmDialog
          title={`Revoke ${task.key.name}?`}
          action="Revoke"
          onClose={close}
          onConfirm={async () => {
            await revokeWidgetKey(api, task.key.id);
            await refresh();
          }}
        >
          <p>
            The chat stops working at once on every page that has this key
            {task.key.last_used_host && <>, last seen on {task.key.last_used_host}</>}. It cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}

/** Makes the secret with which a site proves who its users are. It is shown once. */
function IdentityDialog({ widgetKey, onClose }: { widgetKey: WidgetKey; onClose: () => void }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const creating = useMutation({
    mutationFn: () => createIdentitySecret(api, widgetKey.id),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.all(api, 'widget') }),
  });
  const secret = creating.data?.identity_secret;
  return (
    <Dialog
      title={secret ? 'The identity secret' : `Verify users of ${widgetKey.name}`}
      isAlert
      onClose={onClose}
      actions={
        secret ? (
          <Button look="primary" onPress={onClose}>
            I have stored it
          </Button>
        ) : (
          <>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" isBusy={creating.isPending} onPress={() => creating.mutate()}>
              {widgetKey.verifies_identity ? 'Replace the secret' : 'Make the secret'}
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-3 text-ink-2">
        {secret ? (
          <>
            <p>Keep it on the server of your site. It is shown only now.</p>
            <CodeBlock label="Identity secret" text={secret} />
            <p>The page then says who its user is, with the signature that your server computed:</p>
            <CodeBlock
              label="Script for your page"
              text={"svc.identify({ user_id: 'customer-17', user_hash: hmacSha256(secret, 'customer-17') })"}
            />
          </>
        ) : (
          <>
            <p>
              Signed-in users of your site keep their chats on every device, and the bot knows who they are.
              For that, your server signs their id with a secret.
            </p>
            {widgetKey.verifies_identity && (
              <p className="text-warning-ink">
                The current secret stops working at once: until your server has the new one, users are not
                recognized.
              </p>
            )}
          </>
        )}
        {creating.error && <InlineError error={creating.error} />}
      </div>
    </Dialog>
  );
}
