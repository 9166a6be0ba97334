import type { FoundObject } from '@svc/contract/console-conversations';
import { CornerDownLeft, Search } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components';
import { foundObjectQuery, namedObjectsQuery } from '../../api/palette.ts';
import { settingsTabs } from '../../features/settings/settings-tabs.ts';
import { Kbd } from '../../kit/labels.tsx';
import { messageOf } from '../../kit/placeholders.tsx';
import { navigation } from '../navigation.tsx';
import { useGo, useRead, useWorkspace } from '../workspace.tsx';
import {
  actionsFor,
  matching,
  objectEntries,
  type PaletteEntry,
  type PaletteGroup,
  pageOf,
  pastedId,
} from './palette-entries.ts';

/** Finds pages, objects by name, actions, and whatever a pasted id belongs to. */
export function Palette({ onClose, onShowShortcuts }: { onClose: () => void; onShowShortcuts: () => void }) {
  const [text, setText] = useState('');
  const { groups, isSearching, error } = usePaletteGroups(text);
  const go = useGo();

  function open({ path, search }: PaletteEntry): void {
    onClose();
    go(path, search);
  }

  return (
    <ModalOverlay
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      isDismissable
      className="fixed inset-0 z-40 flex items-start justify-center bg-scrim p-3 sm:pt-[12dvh]"
    >
      <Modal className="flex max-h-[70dvh] w-full max-w-xl flex-col overflow-hidden rounded-lg bg-raised shadow-dialog data-entering:animate-appear">
        <Dialog aria-label="Find and do" className="flex min-h-0 flex-col outline-none">
          {/* The search field would only clear itself. */}
          <div
            className="contents"
            onKeyDownCapture={({ key, nativeEvent }) => {
              // While text is composed, Escape belongs to the input method.
              if (key === 'Escape' && !nativeEvent.isComposing) onClose();
            }}
          >
            <Autocomplete inputValue={text} onInputChange={setText}>
              <SearchField
                aria-label="Pages, names, actions, or an id"
                autoFocus
                className="flex items-center gap-2 border-line border-b px-4"
              >
                <Search aria-hidden className="size-4 shrink-0 text-ink-3" />
                <Input
                  placeholder="Page, name, action, or a pasted id"
                  className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none [&::-webkit-search-cancel-button]:hidden"
                />
              </SearchField>
              <Menu
                aria-label="Results"
                className="min-h-0 flex-1 overflow-y-auto p-1 outline-none"
                renderEmptyState={() => (
                  <p className="px-3 py-8 text-center text-ink-3">{emptyText(isSearching, error)}</p>
                )}
              >
                {groups.map((group) => (
                  <MenuSection key={group.title} id={group.title}>
                    <Header className="px-3 pt-2 pb-1 text-ink-3 text-xs">{group.title}</Header>
                    {group.entries.map((entry) => (
                      <MenuItem
                        key={entry.id}
                        id={entry.id}
                        textValue={entry.label}
                        onAction={() => open(entry)}
                        className="group flex items-center gap-3 rounded-sm px-3 py-1.5 outline-none data-focused:bg-hover pointer-coarse:py-2.5"
                      >
                        <span dir="auto" className="min-w-0 flex-1 truncate">
                          {entry.label}
                        </span>
                        <span className="shrink-0 text-ink-3 text-sm">{entry.hint}</span>
                        <CornerDownLeft
                          aria-hidden
                          className="size-3.5 shrink-0 text-ink-3 opacity-0 group-data-focused:opacity-100"
                        />
                      </MenuItem>
                    ))}
                  </MenuSection>
                ))}
              </Menu>
            </Autocomplete>
          </div>
          <footer className="flex items-center justify-between border-line border-t px-4 py-2 text-ink-3 text-xs">
            <span className="flex items-center gap-1 max-sm:hidden">
              <Kbd>↑</Kbd>
              <Kbd>↓</Kbd> choose <Kbd>Enter</Kbd> open
            </span>
            <button type="button" className="rounded-sm hover:text-ink" onClick={onShowShortcuts}>
              All keys
            </button>
          </footer>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function emptyText(isSearching: boolean, error: Error | null): string {
  if (isSearching) return 'Searching…';
  return error
    ? `This could not be looked up: ${messageOf(error)}`
    : 'Nothing in this workspace has this name or id.';
}

const perGroup = 8;

/** What the palette offers for a text. */
function usePaletteGroups(typed: string): {
  groups: PaletteGroup[];
  isSearching: boolean;
  error: Error | null;
} {
  const { can } = useWorkspace();
  const text = useDeferredValue(typed.trim());
  const id = pastedId(text);
  const objects = useRead(namedObjectsQuery);
  const found = useRead(foundObjectQuery, id);
  if (id !== undefined) {
    const entry = found.data && entryOf(found.data);
    return {
      groups: entry ? [{ title: 'This id', entries: [entry] }] : [],
      isSearching: found.isPending,
      error: found.error,
    };
  }
  const pages = [
    ...navigation.flatMap(({ entries }) => entries).map(pageEntry),
    ...settingsTabs
      .filter(({ role }) => can(role))
      .map((tab) => pageEntry({ ...tab, label: `Settings: ${tab.label}`, path: `/settings/${tab.id}` })),
  ];
  const groups = [
    { title: 'Actions', entries: matching(actionsFor(can), text, text ? perGroup : 4) },
    { title: 'Pages', entries: matching(pages, text, text ? perGroup : 20) },
    {
      title: 'By name',
      entries: text ? matching(objects.data ? objectEntries(objects.data, can) : [], text, 12) : [],
    },
    { title: 'Search', entries: text ? [searchEntry(text)] : [] },
  ];
  return {
    groups: groups.filter(({ entries }) => entries.length > 0),
    isSearching: objects.isPending,
    error: objects.error,
  };
}

function pageEntry({ id, label, path }: { id: string; label: string; path: string }): PaletteEntry {
  return { id: `page ${id} ${path}`, label, hint: 'Page', path };
}

function searchEntry(text: string): PaletteEntry {
  return {
    id: 'search',
    label: `Search conversations for “${text}”`,
    hint: 'Search',
    path: '/conversations',
    search: { q: text },
  };
}

function entryOf(found: FoundObject): PaletteEntry {
  return { id: found.id, label: found.title || found.id, hint: found.type, ...pageOf(found) };
}
