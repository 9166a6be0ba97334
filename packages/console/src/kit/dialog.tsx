import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { classes } from './classes.ts';
import { IconButton } from './icon-button.tsx';

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
            <Heading slot="title" className="font-semibold text-lg">
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
