import type { FailedJob } from '@svc/contract/jobs';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { keys } from '../../../api/client.ts';
import { failedJobsQuery, retryJob } from '../../../api/system.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { plural } from '../../../format/numbers.ts';
import { Button } from '../../../kit/buttons.tsx';
import { TimeAgo } from '../../../kit/labels.tsx';
import { InlineError, LoadError, RowsLoading, ShowMore } from '../../../kit/placeholders.tsx';
import { notify } from '../../../kit/toast.tsx';
import { jobName } from './job-names.ts';

interface FailedJobsProps {
  title?: string;
  /** Only jobs of these queues. */
  queues?: readonly string[];
}

/** Background work of this workspace that failed for good. */
export function FailedJobs({ title = 'Failed jobs', queues }: FailedJobsProps) {
  const { api } = useWorkspace();
  const jobs = useInfiniteQuery(failedJobsQuery(api));
  const found = (jobs.data?.pages.flatMap(({ items }) => items) ?? []).filter(
    ({ queue }) => !queues || queues.includes(queue),
  );
  return (
    <Section title={title}>
      {jobs.isPending && <RowsLoading rows={3} />}
      {jobs.isError && <LoadError query={jobs} className="px-4" />}
      {jobs.data && found.length === 0 && <p className="px-4 pb-6 text-ink-2 md:px-6">None. All is well.</p>}
      <ul className="flex flex-col">
        {found.map((job) => (
          <JobRow key={job.id} job={job} />
        ))}
      </ul>
      <ShowMore list={jobs} label="Show older" />
    </Section>
  );
}

function JobRow({ job }: { job: FailedJob }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const retrying = useMutation({
    mutationFn: () => retryJob(api, job.id),
    async onSuccess() {
      notify({ text: 'The job is in its queue again.' });
      await client.invalidateQueries({ queryKey: keys.lists(api, 'job') });
    },
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-line border-b px-4 py-2 text-sm md:px-6">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap gap-x-3">
          <span className="font-medium">{jobName(job.queue)}</span>
          <span className="text-ink-3">
            <TimeAgo at={job.failed_at} /> after {plural(job.attempts, 'attempt')}
          </span>
        </p>
        <p className="break-words text-danger-ink">{job.error}</p>
      </div>
      <Button size="small" isBusy={retrying.isPending} onPress={() => retrying.mutate()}>
        Retry
      </Button>
      {retrying.error && <InlineError error={retrying.error} />}
    </li>
  );
}

interface SectionProps {
  title: string;
  beside?: ReactNode;
  children: ReactNode;
}

/** A part of a page with a heading of its own. */
export function Section({ title, beside, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col pt-5">
      <div className="flex flex-wrap items-baseline gap-x-3 px-4 pb-2 md:px-6">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {beside}
      </div>
      {children}
    </section>
  );
}
