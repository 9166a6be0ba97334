import { X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useSubmit } from '../app/use-submit.ts';
import { Button, IconButton } from './buttons.tsx';
import { classes } from './classes.ts';
import { InlineError } from './placeholders.tsx';

interface DialogProps {
  title: string;
  isOpen?: boolean;
  onClose: () => void;
  size?: 'small' | 'normal' | 'large';
  /** An answer is needed: clicking outside does not close it. */
  isAlert?: boolean;
  /** The buttons, the primary one last. */
  actions?: ReactNode;
  children: ReactNode;
}

const widths = { small: 'sm:max-w-md', normal: 'sm:max-w-xl', large: 'sm:max-w-4xl' };

/** A sheet at the bottom of a phone, a window elsewhere. */
export function Dialog({
  title,
  isOpen = true,
  onClose,
  size = 'normal',
  isAlert = false,
  actions,
  children,
}: DialogProps) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable={!isAlert}
      className="fixed inset-0 z-40 flex items-end justify-center bg-scrim sm:items-center sm:p-6"
    >
      <Modal
        className={classes(
          'flex max-h-[92dvh] w-full flex-col rounded-t-lg bg-raised shadow-dialog data-entering:animate-appear sm:rounded-lg',
          widths[size],
        )}
      >
        <AriaDialog role={isAlert ? 'alertdialog' : 'dialog'} className="flex min-h-0 flex-col outline-none">
          <header className="flex items-center justify-between gap-4 py-3 pr-3 pl-5">
            <Heading slot="title" className="min-w-0 font-semibold text-lg [overflow-wrap:anywhere]">
              {title}
            </Heading>
            <IconButton label="Close" icon={<X aria-hidden />} onPress={onClose} />
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 pb-5">{children}</div>
          {actions && (
            <footer className="flex flex-wrap justify-end gap-2 border-line border-t px-5 pt-3 pb-[max(0.75rem,env(safe-area-inset-bottom))]">
              {actions}
            </footer>
          )}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

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
  const { submit, isBusy, error } = useSubmit(async () => {
    await onConfirm();
    onClose();
  });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      size="small"
      isAlert
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="danger" isBusy={isBusy} isDisabled={isDisabled} onPress={() => void submit()}>
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
