import { ApiError } from '@svc/client/api-error';
import type { Evaluation } from '@svc/contract/evaluations';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { FlaskConical, Square } from 'lucide-react';
import { useState } from 'react';
import { botVersionsQuery } from '../../../api/bot-versions.ts';
import { keys } from '../../../api/client.ts';
import { startEvaluation, stopEvaluation } from '../../../api/evaluations.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { Select } from '../../../kit/fields.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { RestoreError } from '../versions/restore-error.tsx';
import { progressOf } from './case-states.ts';

const live = 'live';

/** Starts an evaluation, or shows how far the one in progress is. */
export function StartEvaluation({
  botId,
  evaluations,
}: {
  botId: string;
  evaluations: readonly Evaluation[];
}) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [version, setVersion] = useState(live);
  const versions = useInfiniteQuery(botVersionsQuery(api, botId));
  const numbers = versions.data?.pages[0]?.items.map(({ number }) => number) ?? [];
  const running = evaluations.find(({ status }) => status === 'running');
  const onSettled = () => client.invalidateQueries({ queryKey: keys.all(api, 'evaluation') });
  const start = useMutation({
    mutationFn: () => startEvaluation(api, botId, version === live ? {} : { version: Number(version) }),
    onSettled,
  });
  const stop = useMutation({ mutationFn: (id: string) => stopEvaluation(api, botId, id), onSettled });
  const error = start.error ?? stop.error;
  return (
    <>
      {running ? (
        <>
          <span className="flex h-8 min-w-48 flex-1 items-center gap-3 sm:ml-auto sm:flex-none">
            <progress
              aria-label="Evaluation"
              max={running.counts.total}
              value={running.counts.total - running.counts.pending}
              className="h-1.5 w-24 flex-1 accent-accent"
            />
            <span role="status" className="whitespace-nowrap text-ink-2 text-sm">
              {progressOf(running)} of version {running.version}
            </span>
          </span>
          <Button
            icon={<Square aria-hidden />}
            isBusy={stop.isPending}
            onPress={() => stop.mutate(running.id)}
          >
            Stop
          </Button>
        </>
      ) : (
        <>
          <Select
            label="Version to evaluate"
            hideLabel
            className="w-40 sm:ml-auto"
            options={[
              { value: live, label: `Live version${numbers[0] ? ` (${numbers[0]})` : ''}` },
              ...numbers.slice(1).map((number) => ({ value: String(number), label: `Version ${number}` })),
            ]}
            value={version}
            onChange={setVersion}
          />
          <Button
            look="primary"
            icon={<FlaskConical aria-hidden />}
            isBusy={start.isPending}
            onPress={() => start.mutate()}
          >
            Evaluate
          </Button>
        </>
      )}
      {error && (
        <div className="basis-full">
          <StartError error={error} />
        </div>
      )}
    </>
  );
}

function StartError({ error }: { error: unknown }) {
  const isUnjudged = error instanceof ApiError && error.code === 'NO_MODEL_CONFIGURED';
  return (
    <div className="flex flex-col gap-1">
      {isUnjudged ? <InlineError error={error} /> : <RestoreError error={error} />}
      {isUnjudged && (
        <p className="text-ink-2 text-sm">
          Expected facts are judged by a model. Set <code>OPENAI_API_KEY</code> or the key of another provider
          and choose one of its models, or evaluate scenarios that only expect calls.
        </p>
      )}
    </div>
  );
}
