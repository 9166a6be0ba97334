import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps, Tooltip, TooltipTrigger } from 'react-aria-components';
import { classes } from './classes.ts';

interface IconButtonProps extends Omit<ButtonProps, 'className' | 'children' | 'style'> {
  /** Its name, shown as a tooltip. */
  label: string;
  /** The key that does the same. */
  hint?: string;
  icon: ReactNode;
  className?: string;
}

export function IconButton({ label, hint, icon, className, ...props }: IconButtonProps) {
  return (
    <TooltipTrigger delay={500} closeDelay={0}>
      <AriaButton
        {...props}
        aria-label={label}
        className={classes(
          'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-2 transition pointer-coarse:size-11',
          'data-hovered:bg-hover data-hovered:text-ink data-pressed:bg-selected data-disabled:opacity-50 [&_svg]:size-4',
          className,
        )}
      >
        {icon}
      </AriaButton>
      <Tooltip
        offset={6}
        className="max-w-72 rounded-sm bg-ink px-2 py-1 text-canvas text-xs shadow-menu data-entering:animate-appear"
      >
        {hint ? `${label} (${hint})` : label}
      </Tooltip>
    </TooltipTrigger>
  );
}
