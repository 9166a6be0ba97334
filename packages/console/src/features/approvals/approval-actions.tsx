import type { Ref } from 'react';
import { Button } from '../../kit/buttons.tsx';
import { classes } from '../../kit/classes.ts';

interface ApprovalActionsProps {
  /** Stays in sight below a long request. */
  isSticky: boolean;
  /** False for a moment after the card appeared, and without a connection. */
  isReady: boolean;
  isBusy: boolean;
  /** Armed by its key: Enter approves. */
  isArmed: boolean;
  approveRef: Ref<HTMLButtonElement>;
  onApprove: () => void;
  onEdit: () => void;
  onDeny: () => void;
  onDisarm: () => void;
}

/** Always in the same order, so that nobody has to look for them. */
export function ApprovalActions(props: ApprovalActionsProps) {
  const { isReady, isBusy, isArmed, approveRef, onApprove, onEdit, onDeny, onDisarm } = props;
  const isIdle = isReady && !isBusy;
  return (
    <div
      className={classes(
        'flex flex-wrap items-center justify-end gap-2 max-sm:[&>button]:flex-1',
        props.isSticky && 'sticky bottom-0 -mb-4 border-line border-t bg-canvas py-3',
      )}
    >
      {isArmed && (
        <p className="mr-auto text-ink-2 text-sm max-sm:basis-full" role="status">
          Press Enter to approve, Esc to go back.
        </p>
      )}
      <Button onPress={onDeny} isDisabled={!isIdle}>
        Deny
      </Button>
      <Button onPress={onEdit} isDisabled={!isIdle}>
        Edit
      </Button>
      <Button
        ref={approveRef}
        look="primary"
        onPress={onApprove}
        onBlur={onDisarm}
        isBusy={isBusy}
        isDisabled={!isReady}
        className={isArmed ? 'outline-2 outline-accent-ink outline-offset-2' : ''}
      >
        Approve
      </Button>
    </div>
  );
}
