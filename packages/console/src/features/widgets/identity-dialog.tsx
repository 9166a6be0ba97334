import type { WidgetKey } from '@svc/contract/widgets';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from '../../api/client.ts';
import { createIdentitySecret } from '../../api/widgets.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { Button, CodeBlock } from '../../kit/buttons.tsx';
import { Dialog } from '../../kit/dialogs.tsx';
import { InlineError } from '../../kit/placeholders.tsx';

/** Makes the secret with which a site proves who its users are. It is shown once. */
export function IdentityDialog({ widgetKey, onClose }: { widgetKey: WidgetKey; onClose: () => void }) {
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
