import { ApiError } from '@svc/client/api-error';
import { type FormEvent, useEffect, useState } from 'react';
import { useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { TextAreaField } from '../../../kit/fields.tsx';
import { Page } from '../../../kit/page.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { type DraftStep, draftBot } from './draft-bot.ts';
import { useCreateBot } from './use-create-bot.ts';

/** Drafts a bot from a description, and shows the steps while that takes a minute. */
export function DescribeForm({ onBack }: { onBack: () => void }) {
  const { api } = useWorkspace();
  const { open } = useCreateBot();
  const [fields, setFields] = useState({ description: '', source: '' });
  const [steps, setSteps] = useState<readonly DraftStep[]>([]);
  const [error, setError] = useState<unknown>();
  const [stop, setStop] = useState<AbortController>();
  const isBusy = stop !== undefined;
  // A person who has left the page no longer waits for the draft.
  useEffect(() => () => stop?.abort(), [stop]);
  const at = (path: string) => (error instanceof ApiError ? error.at(path) : undefined);

  async function create(event: FormEvent): Promise<void> {
    event.preventDefault();
    const controller = new AbortController();
    setStop(controller);
    setSteps([]);
    setError(undefined);
    try {
      const onStep = (step: DraftStep) => setSteps((before) => [...before, step]);
      open(await draftBot(api, fields, { onStep, signal: controller.signal }));
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure);
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
        {error !== undefined && !at('description') && <InlineError error={error} />}
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
