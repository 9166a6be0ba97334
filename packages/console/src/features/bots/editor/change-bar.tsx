import { useEffect } from 'react';
import { tinykeys } from 'tinykeys';
import { PageLink } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { useSavedBy } from '../versions/use-saved-by.ts';
import { useBotEditor } from './editor-context.tsx';
import { describeChanges } from './form-changes.ts';

/** What is not saved yet, and who gets what meanwhile. */
export function ChangeBar() {
  const { bot, changes, failure, newerVersion, discard, takeNewer, keepMine } = useBotEditor();
  if (changes.length === 0) return null;
  return (
    <div className="flex flex-col gap-2 border-line border-t bg-surface px-4 py-2 text-sm md:px-6">
      {newerVersion !== undefined && (
        <div
          role="alert"
          className="flex flex-wrap items-center gap-2 rounded-md bg-info-tint px-3 py-2 text-info-ink"
        >
          <span className="min-w-0 flex-1 basis-60">
            <SavedBy version={newerVersion} /> saved version {newerVersion} while you were editing.{' '}
            <PageLink path={`/bots/${bot.id}/versions`} className="underline">
              See what changed
            </PageLink>
          </span>
          <Button size="small" onPress={takeNewer}>
            Drop mine, load version {newerVersion}
          </Button>
          <Button size="small" onPress={keepMine}>
            Keep mine
          </Button>
        </div>
      )}
      {failure !== undefined && <InlineError error={failure} />}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p className="min-w-0 flex-1 basis-60">
          <span className="break-words font-medium">Changed: {describeChanges(changes)}</span>
          <span className="block text-ink-2">Not saved. Visitors still get version {bot.version}.</span>
        </p>
        <Button size="small" look="quiet" onPress={discard}>
          Discard
        </Button>
      </div>
    </div>
  );
}

function SavedBy({ version }: { version: number }) {
  return useSavedBy(useBotEditor().bot.id, version);
}

export const saveKey = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘S' : 'Ctrl S';

/** ⌘S saves, instead of the page. */
export function useSaveKey(save: () => Promise<void>): void {
  useEffect(
    () =>
      tinykeys(
        window,
        {
          '$mod+s': (event) => {
            event.preventDefault();
            void save();
          },
        },
        // By default, nothing happens in fields.
        { ignore: () => false },
      ),
    [save],
  );
}
