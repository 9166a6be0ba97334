import { useEffect, useEffectEvent } from 'react';
import { tinykeys } from 'tinykeys';
import { createShared } from '../shared-value.ts';
import { areLetterKeysOn } from './letter-keys.ts';

export interface Shortcut {
  /** As tinykeys writes them: `j`, `g a`, `$mod+k`, `[Shift]+?`. */
  keys: string;
  label: string;
  run: (event: KeyboardEvent) => void;
}

export interface ShortcutGroup {
  title: string;
  shortcuts: readonly Pick<Shortcut, 'keys' | 'label'>[];
}

/** The first key of the sequences that lead to pages. */
const prefix = 'g';
const prefixMilliseconds = 1_000;
let prefixPressedAt = Number.NEGATIVE_INFINITY;

let groups: readonly ShortcutGroup[] = [];
/** Everything that works on the current page. */
const [useShortcutGroups, redraw] = createShared(() => groups);

export { useShortcutGroups };

/** Keys that work while the component is shown. The dialog of all keys lists them under the title. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const run = useEffectEvent((keys: string, event: KeyboardEvent) => {
    if (!isMeant(event, keys)) return;
    event.preventDefault();
    shortcuts.find((shortcut) => shortcut.keys === keys)?.run(event);
  });
  const names = shortcuts.map(({ keys, label }) => `${keys}\n${label}`).join('\n\n');
  useEffect(() => {
    const given = names.split('\n\n').map((name) => name.split('\n') as [string, string]);
    const group = { title, shortcuts: given.map(([keys, label]) => ({ keys, label })) };
    change([...groups, group]);
    const stop = tinykeys(
      window,
      Object.fromEntries(given.map(([keys]) => [keys, (event: KeyboardEvent) => run(keys, event)])),
      // ⌘K works in fields, too; `isMeant` decides about the others.
      { ignore: () => false },
    );
    return () => {
      stop();
      change(groups.filter((other) => other !== group));
    };
  }, [title, names]);
}

function change(next: readonly ShortcutGroup[]): void {
  groups = next;
  redraw();
}

/** Keys belong to fields, menus and open dialogs first; those with Ctrl or ⌘ work everywhere. */
function isMeant(event: KeyboardEvent, keys: string): boolean {
  const { key, target, isComposing, defaultPrevented, timeStamp } = event;
  if (isComposing || defaultPrevented) return false;
  if (keys.includes('$mod')) return true;
  const isSequence = keys.includes(' ');
  if (!isSequence && timeStamp - prefixPressedAt < prefixMilliseconds) return false;
  if (key.length === 1 && !areLetterKeysOn()) return false;
  return !(target instanceof Element) || !isOccupied(target);
}

function isOccupied(target: Element): boolean {
  const takesText =
    'input, textarea, select, [contenteditable="true"], [role="textbox"], [role="menu"], [role="listbox"]';
  return (
    target.closest(takesText) !== null ||
    document.querySelector('[role="dialog"], [role="alertdialog"]') !== null
  );
}

/** Remembers the beginning of a sequence, so that its end does not count as a key of its own. */
export function watchPrefix(): () => void {
  const watch = ({ key, timeStamp, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
    if (key === prefix && !ctrlKey && !metaKey && !altKey) prefixPressedAt = timeStamp;
    // The key after it ends the sequence, but first runs what is bound to it.
    else
      setTimeout(() => {
        prefixPressedAt = Number.NEGATIVE_INFINITY;
      });
  };
  window.addEventListener('keydown', watch, { capture: true });
  return () => window.removeEventListener('keydown', watch, { capture: true });
}
