import type { FoundObject } from '@svc/contract/console-conversations';
import { useDeferredValue } from 'react';
import { foundObjectQuery, namedObjectsQuery } from '../../api/palette.ts';
import { settingsTabs } from '../../features/settings/settings-tabs.ts';
import { navigation } from '../navigation.tsx';
import { useRead, useWorkspace } from '../workspace.tsx';
import {
  actionsFor,
  matching,
  objectEntries,
  type PaletteEntry,
  type PaletteGroup,
  pageOf,
  pastedId,
} from './palette-entries.ts';

const perGroup = 8;

/** What the palette offers for a text. */
export function usePaletteGroups(typed: string): {
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
