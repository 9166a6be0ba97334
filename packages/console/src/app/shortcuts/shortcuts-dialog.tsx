import { Dialog } from '../../kit/dialogs.tsx';
import { Switch } from '../../kit/fields.tsx';
import { Keys } from './keys.tsx';
import { setLetterKeys, useLetterKeys } from './letter-keys.ts';
import { useShortcutGroups } from './use-shortcuts.ts';

/** Every key that works on the current page. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const groups = useShortcutGroups();
  const areOn = useLetterKeys();
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className="flex flex-col gap-5">
        <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
          {groups.map((group) => (
            <section key={group.title} className="min-w-0">
              <h3 className="mb-1 font-medium text-sm">{group.title}</h3>
              <dl>
                {group.shortcuts.map(({ keys, label }) => (
                  <div
                    key={keys}
                    className="flex items-center justify-between gap-4 border-line border-b py-1.5"
                  >
                    <dt className="min-w-0 text-ink-2 text-sm">{label}</dt>
                    <dd className="flex shrink-0 items-center gap-1">
                      <Keys keys={keys} />
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
        <Switch
          label="Single-letter keys"
          description="Turn them off if you dictate, or press them by accident. Keys with Ctrl or ⌘ keep working."
          isOn={areOn}
          onChange={setLetterKeys}
        />
      </div>
    </Dialog>
  );
}
