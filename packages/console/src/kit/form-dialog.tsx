import { type ReactNode, useId } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { InlineError } from './inline-error.tsx';

interface FormDialogProps {
  title: string;
  /** The verb of its button. */
  action: string;
  isOpen?: boolean;
  isBusy: boolean;
  /** The form cannot be sent yet. */
  isDisabled?: boolean;
  /** What went wrong, unless a field shows it. */
  error: unknown;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** A form in a dialog. Enter sends it. */
export function FormDialog(props: FormDialogProps) {
  const {
    title,
    action,
    isOpen = true,
    isBusy,
    isDisabled = false,
    error,
    onSubmit,
    onClose,
    children,
  } = props;
  const id = useId();
  return (
    <Dialog
      title={title}
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form={id} look="primary" isBusy={isBusy} isDisabled={isDisabled}>
            {action}
          </Button>
        </>
      }
    >
      <form
        id={id}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          // Enter submits a form with a single field whatever its button says.
          if (!isBusy && !isDisabled) onSubmit();
        }}
      >
        {children}
        {error !== undefined && error !== null && <InlineError error={error} />}
      </form>
    </Dialog>
  );
}
