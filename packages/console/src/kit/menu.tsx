import type { ReactElement, ReactNode } from 'react';
import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover, Separator } from 'react-aria-components';
import { classes } from './classes.ts';

interface MenuEntry {
  /** Where several entries may have the same label. */
  id?: string;
  label: string;
  icon?: ReactNode;
  description?: string;
  isDangerous?: boolean;
  /** A line above it. */
  isFirstOfGroup?: boolean;
  /** Leads to another page; otherwise `onAction` is called. */
  href?: string;
  onAction?: () => void;
}

interface MenuProps {
  label: string;
  entries: readonly (MenuEntry | false | null | undefined)[];
  /** The button that opens it. */
  children: ReactElement;
  placement?: 'bottom end' | 'bottom start' | 'top start';
  isOpenAtFirst?: boolean;
}

export function Menu({
  label,
  entries,
  children,
  placement = 'bottom end',
  isOpenAtFirst = false,
}: MenuProps) {
  const shown = entries.filter((entry): entry is MenuEntry => Boolean(entry));
  return (
    <MenuTrigger defaultOpen={isOpenAtFirst}>
      {children}
      <Popover
        placement={placement}
        className="min-w-44 max-w-80 overflow-auto rounded-md bg-raised p-1 shadow-menu data-entering:animate-appear"
      >
        <AriaMenu aria-label={label} className="outline-none">
          {shown.flatMap((entry) => [
            ...(entry.isFirstOfGroup
              ? [<Separator key={`${idOf(entry)}-line`} className="my-1 h-px bg-line" />]
              : []),
            <MenuItem
              key={idOf(entry)}
              id={idOf(entry)}
              textValue={entry.label}
              {...(entry.href && { href: entry.href })}
              {...(entry.onAction && { onAction: entry.onAction })}
              className={classes(
                'flex items-center gap-2 rounded-sm px-2 py-1.5 text-base outline-none data-disabled:opacity-50 data-focused:bg-hover pointer-coarse:py-2.5 [&_svg]:size-4',
                entry.isDangerous && 'text-danger-ink',
              )}
            >
              {entry.icon}
              <span className="min-w-0">
                {entry.label}
                {entry.description && <span className="block text-ink-3 text-sm">{entry.description}</span>}
              </span>
            </MenuItem>,
          ])}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

function idOf({ id, label }: MenuEntry): string {
  return id ?? label;
}
