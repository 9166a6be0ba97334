import type { CatalogVoice } from '@svc/contract/voice';
import { AudioLines } from 'lucide-react';
import { useState } from 'react';
import { botsQuery } from '../../api/bots.ts';
import { catalogQuery, voiceQuery } from '../../api/voice.ts';
import { svcCommand } from '../../app/svc-command.ts';
import { useGo, useRead, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { Button, CopyButton } from '../../kit/buttons.tsx';
import { FormDialog } from '../../kit/dialogs.tsx';
import { Select, TextField } from '../../kit/fields.tsx';
import { EmptyState, InlineError, LoadError, RowsLoading } from '../../kit/placeholders.tsx';
import { groupVoices, providerName, providersWithoutVoices } from './catalog-groups.ts';
import { VoiceList } from './voice-list.tsx';
import { VoicePage } from './voice-page.tsx';

/** Every voice that bots can have. */
export function CatalogPage() {
  const { can } = useWorkspace();
  const [{ q = '' }, setSearch] = useSearchState();
  const catalog = useRead(catalogQuery);
  const report = useRead(voiceQuery);
  const silent = catalog.data ? providersWithoutVoices(report.data?.speaking ?? [], catalog.data) : [];
  const [chosen, setChosen] = useState<CatalogVoice>();
  const groups = groupVoices(catalog.data ?? [], q);
  return (
    <VoicePage tab="catalog">
      {catalog.isPending && <RowsLoading />}
      {catalog.isError && <LoadError query={catalog} />}
      {silent.length > 0 && (
        <div className="p-4 md:px-6">
          <InlineError
            error={`There are no voices of ${silent.map(providerName).join(' and ')}. If they could not be read, the log of the service says why, and it tries again every 30 seconds.`}
            onRetry={() => void catalog.refetch()}
          />
        </div>
      )}
      {catalog.data?.length === 0 && silent.length === 0 && !report.isPending && (
        <EmptyState icon={<AudioLines aria-hidden />} title="There are no voices yet">
          Set <code>ELEVENLABS_API_KEY</code> or <code>CARTESIA_API_KEY</code> for the service, or run{' '}
          <code>{svcCommand} voice install</code> for a plain voice that needs no provider.
        </EmptyState>
      )}
      {catalog.data && catalog.data.length > 0 && (
        <>
          <TextField
            label="Find a voice"
            hideLabel
            type="search"
            placeholder="Name, language or gender"
            className="max-w-96 px-4 py-3 md:px-6"
            value={q}
            onChange={(text) => setSearch({ q: text || undefined })}
          />
          {groups.length === 0 && (
            <EmptyState
              title="No voice matches"
              action={<Button onPress={() => setSearch({ q: undefined })}>Clear</Button>}
            >
              Search for a name, a language such as “German”, or “female”.
            </EmptyState>
          )}
          <VoiceList
            groups={groups}
            actions={(voice) => (
              <>
                <CopyButton text={voice.id} label={`Copy the id of ${voice.name}`} />
                {can('operator') && (
                  <Button
                    size="small"
                    aria-label={`Use for a bot: ${voice.name}`}
                    onPress={() => setChosen(voice)}
                  >
                    {/* One element: the parts of a button are set apart. */}
                    <span>
                      Use<span className="max-sm:hidden"> for a bot</span>
                    </span>
                  </Button>
                )}
              </>
            )}
          />
        </>
      )}
      {chosen && <UseDialog voice={chosen} onClose={() => setChosen(undefined)} />}
    </VoicePage>
  );
}

/** Opens the bot with the voice filled in: it is not saved before somebody has looked at it. */
function UseDialog({ voice, onClose }: { voice: CatalogVoice; onClose: () => void }) {
  const go = useGo();
  const bots = useRead(botsQuery);
  const [botId, setBotId] = useState<string | null>(null);
  return (
    <FormDialog
      title={`Use ${voice.name}`}
      action="Open the bot"
      isBusy={false}
      isDisabled={botId === null}
      error={bots.error}
      onSubmit={() => go(`/bots/${botId}/voice`, { use: voice.id })}
      onClose={onClose}
    >
      <Select
        label="For which bot?"
        placeholder="Choose a bot"
        options={(bots.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={botId}
        onChange={setBotId}
        description="The voice is filled in, and used once you save."
      />
    </FormDialog>
  );
}
