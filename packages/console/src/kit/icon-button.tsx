import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps } from 'react-aria-components';
import { classes } from './classes.ts';
import { Tip } from './tip.tsx';

export interface IconButtonProps extends Omit<ButtonProps, 'className' | 'children' | 'style'> {
  /** Its name, shown as a tooltip. */
  label: string;
  /** The key that does the same. */
  hint?: string;
  children: ReactNode;
  className?: string;
}

export function IconButton({ label, hint, children, className, ...props }: IconButtonProps) {
  return (
    <Tip text={hint ? `${label} (${hint})` : label}>
      <AriaButton
        {...props}
        aria-label={label}
        className={classes(
          'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-2 transition pointer-coarse:size-11',
          'data-hovered:bg-hover data-hovered:text-ink data-pressed:bg-selected data-disabled:opacity-50 [&_svg]:size-4',
          className,
        )}
      >
        {children}
      </AriaButton>
    </Tip>
  );
}
