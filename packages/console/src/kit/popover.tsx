import type { ReactElement, ReactNode } from 'react';
import { Popover as AriaPopover, Dialog, DialogTrigger } from 'react-aria-components';

interface PopoverProps {
  /** What it contains, for screen readers. */
  label: string;
  /** The button that opens it. */
  trigger: ReactElement;
  children: ReactNode;
}

/** A small form beside the button that opens it. */
export function Popover({ label, trigger, children }: PopoverProps) {
  return (
    <DialogTrigger>
      {trigger}
      <AriaPopover
        placement="bottom end"
        className="max-w-[calc(100vw-1rem)] overflow-auto rounded-md bg-raised p-4 shadow-menu data-entering:animate-appear"
      >
        <Dialog aria-label={label} className="outline-none">
          {children}
        </Dialog>
      </AriaPopover>
    </DialogTrigger>
  );
}
