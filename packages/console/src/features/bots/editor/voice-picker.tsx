import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { catalogQuery } from '../../../api/voice.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { Dialog } from '../../../kit/dialogs.tsx';
import { TextField } from '../../../kit/fields.tsx';
import { InlineError, RowsLoading } from '../../../kit/placeholders.tsx';
import { groupVoices } from '../../voice/catalog-groups.ts';
import { VoiceList } from '../../voice/voice-list.tsx';

/** Chooses a voice by its sample. */
export function VoicePicker({ onPick, onClose }: { onPick: (id: string) => void; onClose: () => void }) {
  const { api } = useWorkspace();
  const catalog = useQuery(catalogQuery(api));
  const [text, setText] = useState('');
  const groups = groupVoices(catalog.data ?? [], text);
  return (
    <Dialog title="Choose a voice" onClose={onClose}>
      <div className="flex flex-col gap-3">
        <TextField
          label="Find a voice"
          hideLabel
          type="search"
          autoFocus
          placeholder="Name, language or gender"
          value={text}
          onChange={setText}
        />
        {catalog.isPending && <RowsLoading rows={4} />}
        {catalog.error && <InlineError error={catalog.error} onRetry={() => void catalog.refetch()} />}
        {catalog.data && groups.length === 0 && (
          <p className="text-ink-2">
            {catalog.data.length === 0
              ? 'No provider of speech has a key yet, and no voice is installed.'
              : 'No voice matches.'}
          </p>
        )}
        <div className="-mx-5">
          <VoiceList
            groups={groups}
            actions={({ id, name }) => (
              <Button size="small" aria-label={`Use ${name}`} onPress={() => onPick(id)}>
                Use
              </Button>
            )}
          />
        </div>
      </div>
    </Dialog>
  );
}
