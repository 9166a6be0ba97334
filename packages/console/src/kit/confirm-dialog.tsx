import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { InlineError } from './inline-error.tsx';

interface ConfirmDialogProps {
  /** A question that names the thing: "Delete Returns.pdf for good?" */
  title: string;
  /** What will be lost, or what happens to others. */
  children: ReactNode;
  /** The verb: "Delete". */
  action: string;
  /** What is lost is not known yet. */
  isDisabled?: boolean;
  onClose: () => void;
  onConfirm: () => Promise<unknown>;
}

/** Only for what cannot be undone. Stays open with the reason if it fails. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, action, isDisabled = false, onClose, onConfirm } = props;
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  async function confirm(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog
      title={title}
      onClose={onClose}
      size="small"
      isAlert
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="danger" isBusy={isBusy} isDisabled={isDisabled} onPress={() => void confirm()}>
            {action}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-ink-2">
        {children}
        {error !== undefined && <InlineError error={error} />}
      </div>
    </Dialog>
  );
}
