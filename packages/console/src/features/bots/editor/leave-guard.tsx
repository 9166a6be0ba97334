import { useBlocker } from '@tanstack/react-router';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';

interface LeaveGuardProps {
  isDirty: boolean;
  /** Addresses below this one keep what was typed. */
  home: string;
  changes: string;
}

/** Asks before unsaved changes are lost. */
export function LeaveGuard({ isDirty, home, changes }: LeaveGuardProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ next }) => isDirty && !`${next.pathname}/`.startsWith(`${home}/`),
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  const isBlocked = status === 'blocked';
  return (
    <Dialog
      title="Leave without saving?"
      size="small"
      isAlert
      isOpen={isBlocked}
      onClose={() => reset?.()}
      actions={
        <>
          <Button onPress={() => proceed?.()}>Leave, drop the changes</Button>
          <Button look="primary" onPress={() => reset?.()}>
            Stay
          </Button>
        </>
      }
    >
      <p className="text-ink-2">Not saved: {changes}.</p>
    </Dialog>
  );
}
