import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { Checkbox as AriaCheckbox, type CheckboxProps as AriaCheckboxProps } from 'react-aria-components';

interface CheckboxProps
  extends Omit<AriaCheckboxProps, 'children' | 'className' | 'style' | 'isIndeterminate'> {
  children: ReactNode;
}

export function Checkbox({ children, ...props }: CheckboxProps) {
  return (
    <AriaCheckbox {...props} className="group flex items-start gap-2 text-base pointer-coarse:py-2.5">
      <span
        aria-hidden
        className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-sm border border-line-strong bg-surface group-data-selected:border-accent group-data-selected:bg-accent group-data-selected:text-on-accent group-data-focus-visible:outline-2 group-data-focus-visible:outline-accent-ink group-data-focus-visible:outline-offset-2 group-data-disabled:opacity-50"
      >
        <Check className="invisible size-3 group-data-selected:visible" strokeWidth={3} />
      </span>
      <span className="min-w-0">{children}</span>
    </AriaCheckbox>
  );
}
