import { type KeyboardEvent, type ReactElement, type ReactNode, useState } from 'react';
import {
  Popover as AriaPopover,
  Autocomplete,
  Dialog,
  DialogTrigger,
  Input,
  Menu,
  MenuItem,
  SearchField,
  useFilter,
} from 'react-aria-components';
import { IconButton } from '../../../kit/buttons.tsx';
import { classes } from '../../../kit/classes.ts';
import { inputClasses } from '../../../kit/fields.tsx';
import { InlineError, RowsLoading } from '../../../kit/placeholders.tsx';

interface PickerQuery<Item> {
  data: Item[] | undefined;
  isPending: boolean;
  isError: boolean;
  error: unknown;
  refetch(): unknown;
}

/**
 * Props: `label` of the button and the list; `hint`, the key that opens it too; `searchLabel` and `placeholder` of the field in which
 * the list is searched; `textOf` an item, where it is searched; `empty`, shown without items, and `unmatched`, without those that are searched;
 * `onLeave`, told what was searched when nothing was picked.
 */
interface PickerProps<Item extends { id: string }> {
  label: string;
  hint: string;
  icon: ReactElement;
  searchLabel: string;
  placeholder: string;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  query: PickerQuery<Item>;
  textOf: (item: Item) => string;
  empty: string;
  unmatched: string;
  onPick: (item: Item) => void;
  onLeave: (typed: string) => void;
  children: (item: Item) => ReactNode;
  footer?: ReactNode;
}

/** A button beside the field of a composer, with a list that is searched by typing. */
export function Picker<Item extends { id: string }>({
  label,
  hint,
  icon,
  searchLabel,
  placeholder,
  isOpen,
  onOpenChange,
  query,
  textOf,
  empty,
  unmatched,
  onPick,
  onLeave,
  children,
  footer,
}: PickerProps<Item>) {
  const { contains } = useFilter({ sensitivity: 'base' });
  const { data } = query;
  const [text, setText] = useState('');

  function close(): void {
    setText('');
    onOpenChange(false);
  }

  function leave(): void {
    onLeave(text);
    close();
  }

  /** The field would only clear itself on Escape, and leave its list on Tab. */
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    // While text is composed, both belong to the input method.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      leave();
    }
    const active = event.currentTarget.querySelector<HTMLElement>('[role=menuitem][data-focused]');
    if (event.key === 'Tab' && !event.shiftKey && active) {
      event.preventDefault();
      active.click();
    }
  }
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={(isNowOpen) => (isNowOpen ? onOpenChange(true) : leave())}>
      <IconButton label={label} hint={hint} icon={icon} />
      <AriaPopover
        placement="top start"
        className="w-96 max-w-[calc(100vw-1rem)] overflow-auto rounded-md bg-raised p-2 shadow-menu data-entering:animate-appear"
      >
        <Dialog aria-label={label} className="outline-none">
          <div className="flex flex-col gap-2" onKeyDownCapture={onKeyDown}>
            {query.isPending && <RowsLoading rows={3} />}
            {query.isError && <InlineError error={query.error} onRetry={() => void query.refetch()} />}
            {data && (
              <Autocomplete filter={contains} inputValue={text} onInputChange={setText}>
                <SearchField aria-label={searchLabel} autoFocus>
                  <Input placeholder={placeholder} className={classes(inputClasses, 'w-full')} />
                </SearchField>
                <Menu
                  // The first match is active, whether letters are added or taken away.
                  key={text}
                  autoFocus="first"
                  aria-label={label}
                  items={data}
                  className="max-h-72 overflow-auto outline-none"
                  renderEmptyState={() => (
                    <p className="px-2 py-1.5 text-ink-3">{data.length === 0 ? empty : unmatched}</p>
                  )}
                  onAction={(key) => {
                    const picked = data.find(({ id }) => id === key);
                    if (picked) onPick(picked);
                    close();
                  }}
                >
                  {(item) => (
                    <MenuItem
                      id={item.id}
                      textValue={textOf(item)}
                      className="flex flex-col rounded-sm px-2 py-1.5 outline-none data-focused:bg-hover pointer-coarse:py-2.5"
                    >
                      {children(item)}
                    </MenuItem>
                  )}
                </Menu>
              </Autocomplete>
            )}
            {footer}
          </div>
        </Dialog>
      </AriaPopover>
    </DialogTrigger>
  );
}
