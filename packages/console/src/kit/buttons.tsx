import { Check, Copy, LoaderCircle } from 'lucide-react';
import { type ReactNode, type Ref, useEffect, useState } from 'react';
import {
  Button as AriaButton,
  type ButtonProps as AriaButtonProps,
  Tooltip,
  TooltipTrigger,
} from 'react-aria-components';
import { announce } from './announce.ts';
import { classes } from './classes.ts';
import { notify } from './toast.tsx';

const looks = {
  /** The one thing to do on a page. */
  primary: 'bg-accent text-on-accent data-hovered:brightness-110 data-pressed:brightness-95',
  secondary: 'border border-line-strong bg-surface text-ink data-hovered:bg-hover data-pressed:bg-selected',
  quiet: 'text-ink-2 data-hovered:bg-hover data-hovered:text-ink data-pressed:bg-selected',
  danger: 'bg-danger text-on-accent data-hovered:brightness-110 data-pressed:brightness-95',
};

interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children' | 'style'> {
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

interface IconButtonProps extends Omit<AriaButtonProps, 'className' | 'children' | 'style'> {
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

interface CopyButtonProps {
  /** Computed only when it is copied, if that takes time. */
  text: string | (() => string);
  label?: string;
  className?: string;
}

export function CopyButton({ text, label = 'Copy', className }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);

  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [isCopied]);

  async function copy(): Promise<void> {
    setCopied(await copyText(typeof text === 'string' ? text : text()));
  }

  return (
    <IconButton
      label={isCopied ? 'Copied' : label}
      icon={isCopied ? <Check aria-hidden className="text-success-ink" /> : <Copy aria-hidden />}
      onPress={() => void copy()}
      {...(className && { className })}
    />
  );
}

/** Copies a text, and says whether it worked. */
export async function copyText(text: string): Promise<boolean> {
  const isDone = await writeClipboard(text);
  if (isDone) announce('Copied.');
  else notify({ text: 'The browser did not allow copying.', isError: true });
  return isDone;
}

/** The clipboard of browsers needs https or localhost, and may be refused; the older way works almost everywhere. */
async function writeClipboard(text: string): Promise<boolean> {
  const isDone = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  if (isDone) return true;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'fixed opacity-0';
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}

interface CodeBlockProps {
  /** What it is, for screen readers: "The command". */
  label: string;
  text: string;
}

/** Something to copy and paste elsewhere. */
export function CodeBlock({ label, text }: CodeBlockProps) {
  return (
    <div className="flex items-start gap-2 rounded-md border border-line bg-sunken py-2 pr-2 pl-3">
      <pre className="min-w-0 flex-1 whitespace-pre-wrap break-all py-1 font-mono text-sm">
        <code aria-label={label}>{text}</code>
      </pre>
      <CopyButton text={text} label={`Copy: ${label}`} />
    </div>
  );
}
