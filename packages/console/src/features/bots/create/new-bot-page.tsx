import { ApiError } from '@svc/client/api-error';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button as PlainButton } from 'react-aria-components';
import { modelsQuery } from '../../../api/bots.ts';
import { OnlyFor } from '../../../app/only-for.tsx';
import { useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { Page } from '../../../kit/page.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { DropArea } from '../knowledge/drop-area.tsx';
import { SourceDialog, type SourceKind } from '../knowledge/source-dialog.tsx';
import { CopyDialog } from './copy-dialog.tsx';
import { DescribeForm } from './describe-form.tsx';
import { useCreateBot } from './use-create-bot.ts';

/** The first thing that a new workspace shows: one question, answered by dropping a file. */
export function NewBotPage() {
  const { api, can } = useWorkspace();
  const models = useQuery(modelsQuery(api));
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
          <SmallButton isDisabled={create.isBusy} onPress={() => attempt(create.empty())}>
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
