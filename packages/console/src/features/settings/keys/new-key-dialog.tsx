import type { CreatedAccountKey } from '@svc/contract/keys';
import { Button } from '../../../kit/button.tsx';
import { CopyButton } from '../../../kit/copy-button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { OneTimeText } from '../one-time-text.tsx';

interface NewKeyDialogProps {
  created: CreatedAccountKey;
  onClose: () => void;
}

/** A new key, shown this one time. */
export function NewKeyDialog({ created, onClose }: NewKeyDialogProps) {
  const example = `curl ${location.origin}/api/v1/bots -H 'Authorization: Bearer ${created.key}'`;
  return (
    <Dialog
      title={`The key ${created.name}`}
      isOpen
      isAlert
      onClose={onClose}
      actions={
        <Button look="primary" onPress={onClose}>
          I have copied it
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <OneTimeText label="Key" text={created.key}>
          Copy it now: it is stored only as a hash and cannot be shown again.
        </OneTimeText>
        {(created.abilities.includes('all') || created.abilities.includes('bots:read')) && (
          <div className="flex flex-col gap-1">
            <p className="font-medium text-sm">Try it</p>
            <div className="flex items-center gap-1 rounded-md bg-sunken py-1 pr-1 pl-3">
              <code className="min-w-0 flex-1 overflow-x-auto whitespace-nowrap font-mono text-sm">
                {example}
              </code>
              <CopyButton text={example} label="Copy the command" />
            </div>
          </div>
        )}
      </div>
    </Dialog>
  );
}
