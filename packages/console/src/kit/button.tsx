import { LoaderCircle } from 'lucide-react';
import type { ReactNode, Ref } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { classes } from './classes.ts';

const looks = {
  /** The one thing to do on a page. */
  primary: 'bg-accent text-on-accent data-hovered:brightness-110 data-pressed:brightness-95',
  secondary: 'border border-line-strong bg-surface text-ink data-hovered:bg-hover data-pressed:bg-selected',
  quiet: 'text-ink-2 data-hovered:bg-hover data-hovered:text-ink data-pressed:bg-selected',
  danger: 'bg-danger text-on-accent data-hovered:brightness-110 data-pressed:brightness-95',
};

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children' | 'style'> {
  look?: keyof typeof looks;
  size?: 'small' | 'normal';
  icon?: ReactNode;
  /** The work that it started is still running. */
  isBusy?: boolean;
  children: ReactNode;
  className?: string;
  ref?: Ref<HTMLButtonElement>;
}

/**
 * Keeps the focus but does nothing, not even submit its form. The library's own `isPending` names the button to screen readers by an
 * element that outlives it: an image without a name, once the button has disappeared.
 */
function withoutAction({ onPress: _action, ...props }: AriaButtonProps): AriaButtonProps {
  return { ...props, type: 'button', 'aria-disabled': true };
}

export function Button({
  look = 'secondary',
  size = 'normal',
  icon,
  isBusy = false,
  className,
  children,
  ...props
}: ButtonProps) {
  return (
    <AriaButton
      {...(isBusy ? withoutAction(props) : props)}
      className={classes(
        'inline-flex shrink-0 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded-md font-medium transition',
        'data-disabled:opacity-50 pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0',
        size === 'small' ? 'h-7 px-2 text-sm' : 'h-8 px-3 text-base',
        looks[look],
        className,
      )}
    >
      {isBusy ? <LoaderCircle aria-hidden className="animate-spin" /> : icon}
      {children}
    </AriaButton>
  );
}
