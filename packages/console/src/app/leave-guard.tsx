import { useBlocker } from '@tanstack/react-router';
import { Button } from '../kit/buttons.tsx';
import { Dialog } from '../kit/dialogs.tsx';

/** An address that somebody wants to go to. */
export interface NextPage {
  pathname: string;
  search: Record<string, unknown>;
}

interface LeaveGuardProps {
  isDirty: boolean;
  /** Whether what was typed is still there at that address. */
  isKeptAt: (next: NextPage) => boolean;
  /** What would be lost. */
  changes: string;
}

/** Asks before unsaved changes are lost. */
export function LeaveGuard({ isDirty, isKeptAt, changes }: LeaveGuardProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ next: { pathname, search } }) => isDirty && !isKeptAt({ pathname, search }),
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
