import { type Static, Type } from 'typebox';
import { OneOf, Timestamp, Uuid } from './common.ts';

const JobStatus = OneOf(['failed'], { description: 'Jobs that failed for good: only these are kept.' });

export const JobQuery = Type.Unsafe<{ status?: 'failed'; limit?: number; before?: string }>({
  type: 'object',
  additionalProperties: false,
  properties: {
    status: { ...JobStatus, default: 'failed' },
    limit: { type: 'integer', minimum: 1, maximum: 500, default: 100 },
    before: {
      type: 'string',
      pattern: '^\\d{1,17}\\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
      'x-expected': 'a cursor of the Link header',
      description: 'The cursor of the next page, as the Link header gives it.',
    },
  },
});
export type JobQuery = Static<typeof JobQuery>;

export const FailedJob = Type.Object(
  {
    id: Uuid,
    status: JobStatus,
    queue: Type.String({ description: 'The kind of work.', examples: ['run-webhooks'] }),
    subject: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description:
        'The ids of what it was for, such as `knowledge_id`, `approval_id` or the `turn_id` of a run.',
    }),
    error: Type.String({ description: 'Why its last attempt failed.' }),
    attempts: Type.Integer(),
    failed_at: Timestamp,
  },
  {
    $id: 'FailedJob',
    examples: [
      {
        id: '0198c2a4-7d10-4c3e-9f4e-2b1a6c5d8e97',
        status: 'failed',
        queue: 'run-webhooks',
        subject: { turn_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e96' },
        error: 'The webhook answered with 500.',
        attempts: 21,
        failed_at: '2026-11-15T09:30:00.000Z',
      },
    ],
  },
);
export type FailedJob = Static<typeof FailedJob>;
