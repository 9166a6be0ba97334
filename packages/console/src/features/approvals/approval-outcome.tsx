import type { Approval, ApprovalDetail, ApprovalStatus } from '@svc/contract/approvals';
import { plural } from '../../format/numbers.ts';
import { type State, StateBadge, TimeAgo, VisibleText } from '../../kit/labels.tsx';
import { changedArguments, differenceInOneLine } from './changed-arguments.ts';

const states: Record<ApprovalStatus, { state: State; text: string }> = {
  pending: { state: 'paused', text: 'Waiting for a person' },
  approved: { state: 'success', text: 'Approved' },
  approved_edited: { state: 'success', text: 'Approved with changes' },
  denied: { state: 'danger', text: 'Denied' },
  cancelled: { state: 'idle', text: 'Withdrawn' },
  expired: { state: 'warning', text: 'No longer valid' },
};

const textsOfQuestions: Partial<Record<ApprovalStatus, string>> = {
  approved: 'Answered',
  approved_edited: 'Answered',
  denied: 'Declined',
};

export function ApprovalState({ approval }: { approval: Pick<Approval, 'status' | 'is_question'> }) {
  const { state, text } = states[approval.status];
  const ofQuestion = approval.is_question ? textsOfQuestions[approval.status] : undefined;
  return <StateBadge state={state} text={ofQuestion ?? text} />;
}

/** What was decided, by whom, when, and what they changed. */
export function ApprovalOutcome({ approval }: { approval: Approval | ApprovalDetail }) {
  const { status, reason, resolved_at: at, resolved_by: by } = approval;
  const name = 'resolved_by_name' in approval ? approval.resolved_by_name : null;
  return (
    <div className="flex flex-col gap-1 rounded-md bg-sunken px-3 py-2">
      <p className="flex flex-wrap items-center gap-x-2">
        <ApprovalState approval={approval} />
        {approval.grant_id && <span className="text-ink-2">without asking, as allowed</span>}
        {by && (
          <span className="text-ink-2">
            by <VisibleText text={name ?? 'somebody'} />
          </span>
        )}
        {at && <TimeAgo at={at} className="text-ink-3 text-sm" />}
      </p>
      <ChangedArguments approval={approval} />
      {status === 'denied' && reason && (
        <p className="text-ink-2">
          “<VisibleText text={reason} />”
        </p>
      )}
      {status === 'expired' && (
        <p className="text-ink-2">{reason ?? 'Nobody answered in time.'} Nothing ran.</p>
      )}
      {status === 'cancelled' && (
        <p className="text-ink-2">Its turn was stopped or has ended. Nothing ran.</p>
      )}
    </div>
  );
}

interface ChangedArgumentsProps {
  approval: Approval | ApprovalDetail;
  /** Of the changes that are shown; the others are counted. */
  limit?: number;
}

/** `amount 120 → 20`. */
export function ChangedArguments({ approval, limit = 50 }: ChangedArgumentsProps) {
  const edited = 'edited_arguments' in approval ? approval.edited_arguments : undefined;
  if (!edited) return null;
  const changes = changedArguments(approval.arguments, edited);
  if (changes.length === 0) return <p className="text-ink-2 text-sm">Nothing was changed.</p>;
  return (
    <ul className="flex flex-col gap-0.5 font-mono text-sm">
      {changes.slice(0, limit).map(({ path, before, after }) => {
        const [old, now] = differenceInOneLine(before, after);
        return (
          <li key={path} className="[overflow-wrap:anywhere]">
            <span className="text-ink-2">
              <VisibleText text={path} />{' '}
            </span>
            <del className="bg-del-word px-0.5 no-underline">
              <VisibleText text={old} />
            </del>
            <span aria-label="changed to"> → </span>
            <ins className="bg-add-word px-0.5 no-underline">
              <VisibleText text={now} />
            </ins>
          </li>
        );
      })}
      {changes.length > limit && (
        <li className="text-ink-2">and {plural(changes.length - limit, 'more change')}</li>
      )}
    </ul>
  );
}
