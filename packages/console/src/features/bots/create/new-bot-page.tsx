import { ApiError } from '@svc/client/api-error';
import type { ConsoleBot } from '@svc/contract/console-bots';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Button as PlainButton } from 'react-aria-components';
import { botsQuery, createBot, deactivateBot, modelsQuery } from '../../../api/bots.ts';
import { addSource } from '../../../api/knowledge.ts';
import { OnlyFor } from '../../../app/only-for.tsx';
import { useFieldErrors, useSubmit } from '../../../app/use-submit.ts';
import { useGo, useRead, useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { Dialog, FormDialog } from '../../../kit/dialogs.tsx';
import { TextAreaField, TextField } from '../../../kit/fields.tsx';
import { StateBadge } from '../../../kit/labels.tsx';
import { Page } from '../../../kit/page.tsx';
import { InlineError, RowsLoading } from '../../../kit/placeholders.tsx';
import { notify } from '../../../kit/toast.tsx';
import { typeName } from '../bot-names.ts';
import { copyOf } from '../duplicate-bot.ts';
import { DropArea } from '../knowledge/drop-area.tsx';
import { type NewSource, SourceDialog, type SourceKind } from '../knowledge/source-dialog.tsx';
import { requireUsable, uploadFiles } from '../knowledge/upload-files.ts';
import { type DraftStep, draftBot } from './draft-bot.ts';
import { nameOfFile, promptFor } from './name-of-file.ts';

/** The first thing that a new workspace shows: one question, answered by dropping a file. */
export function NewBotPage() {
  const { can } = useWorkspace();
  const models = useRead(modelsQuery);
  const [{ from }, setSearch] = useSearchState();
  const create = useCreateBot();
  const [kind, setKind] = useState<SourceKind>();
  const [error, setError] = useState<unknown>();
  if (!can('operator')) {
    return (
      <Page title="New bot">
        <OnlyFor role="operator" does="create bots">
          {null}
        </OnlyFor>
      </Page>
    );
  }
  const attempt = (work: Promise<void>) => {
    setError(undefined);
    work.catch(setError);
  };
  if (from === 'description') return <DescribeForm onBack={() => setSearch({ from: undefined })} />;
  const canDescribe = models.data?.is_built_in_only === false;
  return (
    <Page title="What should your bot know?">
      <div className="mx-auto flex max-w-2xl flex-col gap-4 px-4 py-8 md:py-16">
        <DropArea
          isLarge
          isBusy={create.isBusy}
          onFiles={(files) => create.isBusy || attempt(create.fromFiles(files))}
          others={
            <>
              <Button onPress={() => setKind('text')}>Paste text</Button>
              <Button onPress={() => setKind('url')}>Web page</Button>
            </>
          }
        />
        {error !== undefined && <UploadError error={error} />}
        <div className="flex flex-wrap items-center justify-center gap-x-5 gap-y-1 text-sm">
          {canDescribe && (
            <SmallButton
              isDisabled={create.isBusy}
              onPress={() => setSearch({ from: 'description' }, { push: true })}
            >
              Describe it instead
            </SmallButton>
          )}
          <SmallButton isDisabled={create.isBusy} onPress={() => setSearch({ from: 'name' }, { push: true })}>
            Start empty
          </SmallButton>
          <SmallButton isDisabled={create.isBusy} onPress={() => setSearch({ from: 'copy' }, { push: true })}>
            Copy a bot
          </SmallButton>
        </div>
      </div>
      <SourceDialog
        kind={kind}
        action="Create the bot"
        onClose={() => setKind(undefined)}
        onAdd={(source) => create.fromSource(source)}
      />
      {from === 'name' && (
        <NameDialog onClose={() => setSearch({ from: undefined })} onCreated={create.open} />
      )}
      <CopyDialog
        isOpen={from === 'copy'}
        onClose={() => setSearch({ from: undefined })}
        onCopied={create.open}
      />
    </Page>
  );
}

/** Where no file could be used, the service says why for each. */
function UploadError({ error }: { error: unknown }) {
  const reasons = error instanceof ApiError ? error.details.flatMap(({ message }) => message ?? []) : [];
  return (
    <div className="flex flex-col gap-2">
      <InlineError error={error} />
      {reasons.length > 0 && (
        <ul className="list-disc pl-6 text-danger-ink text-sm">
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface SmallButtonProps {
  onPress: () => void;
  isDisabled: boolean;
  children: string;
}

function SmallButton({ onPress, isDisabled, children }: SmallButtonProps) {
  return (
    <PlainButton
      onPress={onPress}
      isDisabled={isDisabled}
      className="rounded-sm py-1 text-ink-2 underline underline-offset-2 data-hovered:text-ink pointer-coarse:min-h-11"
    >
      {children}
    </PlainButton>
  );
}

interface NameDialogProps {
  onClose: () => void;
  onCreated: (botId: string) => void;
}

/** Asks for a name before there is a bot: nothing is left behind by somebody who goes back. */
function NameDialog({ onClose, onCreated }: NameDialogProps) {
  const { api } = useWorkspace();
  const [name, setName] = useState('');
  const { submit, isBusy, at, error } = useSubmit(
    async () => {
      const { id } = await createBot(api, {
        name: name.trim(),
        system_prompt: 'You are a helpful assistant. Answer briefly.',
      });
      onCreated(id);
    },
    { name },
  );
  return (
    <FormDialog
      title="Name your bot"
      action="Create"
      isBusy={isBusy}
      error={error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        description="People see it in lists, and visitors in the widget."
        autoFocus
        isRequired
        value={name}
        onChange={setName}
        error={at('name')}
      />
    </FormDialog>
  );
}

interface CopyDialogProps {
  isOpen: boolean;
  onClose: () => void;
  onCopied: (botId: string) => void;
}

/** Chooses the bot that the new one begins as. */
function CopyDialog({ isOpen, onClose, onCopied }: CopyDialogProps) {
  const { api } = useWorkspace();
  const bots = useQuery({ ...botsQuery(api), enabled: isOpen });
  const { submit, isBusy, error } = useSubmit(async (bot: ConsoleBot) => {
    const { id, toolsError } = await copyOf(api, bot);
    if (toolsError)
      notify({ text: `${bot.name} was copied without its tools. ${toolsError.message}`, isError: true });
    onCopied(id);
  });
  return (
    <Dialog title="Copy a bot" isOpen={isOpen} onClose={onClose}>
      <div className="flex flex-col gap-3">
        <p className="text-ink-2">
          With its prompt, model and tools. Knowledge and schedule stay with the original.
        </p>
        {error !== undefined && <InlineError error={error} />}
        {bots.isPending && <RowsLoading rows={3} />}
        {bots.isError && <InlineError error={bots.error} onRetry={() => void bots.refetch()} />}
        {bots.data?.length === 0 && <p>There is no bot yet that could be copied.</p>}
        <ul className="flex flex-col">
          {bots.data?.map((bot) => (
            <li key={bot.id}>
              <button
                type="button"
                disabled={isBusy}
                onClick={() => void submit(bot)}
                className="flex w-full items-baseline gap-2 rounded-md px-2 py-2 text-left hover:bg-hover pointer-coarse:min-h-11"
              >
                <span className="truncate font-medium">{bot.name}</span>
                <span className="shrink-0 text-ink-3 text-sm">{typeName(bot.bot_type)}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

/** Drafts a bot from a description, and shows the steps while that takes a minute. */
function DescribeForm({ onBack }: { onBack: () => void }) {
  const { api } = useWorkspace();
  const { open } = useCreateBot();
  const [fields, setFields] = useState({ description: '', source: '' });
  const [steps, setSteps] = useState<readonly DraftStep[]>([]);
  const [failure, setFailure] = useState<unknown>();
  const [stop, setStop] = useState<AbortController>();
  const isBusy = stop !== undefined;
  // A person who has left the page no longer waits for the draft.
  useEffect(() => () => stop?.abort(), [stop]);
  const { at, error } = useFieldErrors(failure, {
    description: fields.description,
    'sources.0': fields.source,
  });

  async function create(event: FormEvent): Promise<void> {
    event.preventDefault();
    const controller = new AbortController();
    setStop(controller);
    setSteps([]);
    setFailure(undefined);
    try {
      const onStep = (step: DraftStep) => setSteps((before) => [...before, step]);
      open(await draftBot(api, fields, { onStep, signal: controller.signal }));
    } catch (thrown) {
      if (!controller.signal.aborted) setFailure(thrown);
    } finally {
      setStop(undefined);
    }
  }

  return (
    <Page title="Describe your bot">
      <form
        onSubmit={(event) => void create(event)}
        className="mx-auto flex max-w-2xl flex-col gap-4 px-4 py-8 md:py-12"
      >
        <TextAreaField
          label="What is it for?"
          minRows={4}
          autoFocus
          isReadOnly={isBusy}
          placeholder="Answers guests of our hotel: breakfast, check-out, parking. Friendly, in the guest's language."
          value={fields.description}
          onChange={(description) => setFields({ ...fields, description })}
          error={at('description')}
        />
        <TextAreaField
          label="What should it read first?"
          description="A text, or the address of a web page. You can add files later."
          minRows={2}
          isReadOnly={isBusy}
          value={fields.source}
          onChange={(source) => setFields({ ...fields, source })}
          error={at('sources.0')}
        />
        {steps.length > 0 && (
          <ol aria-label="Steps" aria-live="polite" className="flex flex-col gap-1 text-sm">
            {steps.map(({ text, isFault }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: steps are only appended
              <li key={index}>
                <StateBadge
                  state={isBusy && index === steps.length - 1 ? 'running' : isFault ? 'warning' : 'success'}
                  text={text}
                />
              </li>
            ))}
          </ol>
        )}
        {error !== undefined && <InlineError error={error} />}
        <div className="flex justify-end gap-2">
          <Button onPress={() => (stop ? stop.abort() : onBack())}>{isBusy ? 'Stop' : 'Back'}</Button>
          <Button look="primary" type="submit" isBusy={isBusy} isDisabled={fields.description.trim() === ''}>
            Create
          </Button>
        </div>
      </form>
    </Page>
  );
}

/** The ways to create a bot. Each ends in its editor, with the test open. */
function useCreateBot() {
  const { api } = useWorkspace();
  const queries = useQueryClient();
  const go = useGo();
  const [isBusy, setBusy] = useState(false);

  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);

  /** A person who has gone to another page meanwhile stays there. */
  function open(botId: string): void {
    void queries.invalidateQueries({ queryKey: botsQuery(api).queryKey });
    const show = () => go(`/bots/${botId}/prompt`, { test: '1' });
    if (isHere.current) show();
    else notify({ text: 'Your bot is ready.', action: { label: 'Open', run: show } });
  }

  /** A bot that knows nothing is of no use to those who wanted one that does: it is made inactive again. */
  async function withKnowledge(name: string, add: (botId: string) => Promise<void>): Promise<void> {
    setBusy(true);
    try {
      const { id } = await createBot(api, { name, system_prompt: promptFor(name) });
      try {
        await add(id);
      } catch (error) {
        await deactivateBot(api, id);
        throw error;
      }
      open(id);
    } finally {
      setBusy(false);
    }
  }

  return {
    isBusy,

    async fromFiles(files: readonly File[]): Promise<void> {
      requireUsable(files);
      await withKnowledge(nameOfFile(files[0]?.name ?? ''), async (botId) => {
        const reasons = await uploadFiles(api, botId, files);
        for (const text of reasons) notify({ text, isError: true });
      });
    },

    fromSource: (source: NewSource): Promise<void> => {
      const name = source.content_type === 'url' ? hostOf(source.url) : source.title?.trim();
      return withKnowledge(name || 'New bot', async (botId) => {
        await addSource(api, { ...source, bot_id: botId });
      });
    },

    open,
  };
}

function hostOf(url = ''): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : url;
}
