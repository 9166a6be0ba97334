import type { ApprovalResponse, ApprovalStatus } from '@svc/contract/approvals';
import { AppError, invalid } from '../lib/app-error.ts';
import { checkJson } from '../validation/json-schema/check-json.ts';
import type { ApprovalRow, Resolution } from './approvals.store.ts';
import type { ExpiryReason } from './expiry-reasons.ts';

const statuses: Record<ApprovalResponse['action'], ApprovalStatus> = {
  approve: 'approved',
  approve_edited: 'approved_edited',
  deny: 'denied',
};

/**
 * Throws when an answer is not valid; the approval then stays pending. Call it outside of transactions: the check may wait for a
 * thread, and the schema of an approval never changes.
 */
export async function checkAnswer(
  row: Pick<ApprovalRow, 'argumentsSchema' | 'workspaceId' | 'grantable' | 'toolGrantable'> &
    Partial<Pick<ApprovalRow, 'isQuestion'>>,
  response: ApprovalResponse,
): Promise<void> {
  const { action, edited_args: edited, grant, grant_expires_in: expiresIn } = response;
  if (grant !== undefined && action !== 'approve') throw invalid('grant', 'belongs to the action approve');
  if (grant !== undefined && !(grant === 'bot' ? row.toolGrantable : row.grantable))
    throw invalid('grant', 'is not offered for this call');
  if (expiresIn !== undefined && grant !== 'bot')
    throw invalid('grant_expires_in', 'belongs to the grant bot');
  if (action !== 'approve_edited') {
    if (edited !== undefined) throw invalid('edited_args', 'belongs to the action approve_edited');
    if (action === 'deny' || !row.isQuestion) return;
    const missing = await checkJson(row.argumentsSchema, {}, row.workspaceId);
    if (missing.length === 0) return;
    throw invalid('action', 'must be approve_edited with edited_args: the tool asks for something');
  }
  if (edited === undefined) throw invalid('edited_args', 'is required with approve_edited');
  const faults = await checkJson(row.argumentsSchema, edited, row.workspaceId);
  if (faults.length === 0) return;
  const details = faults.map(({ path, message }) => ({ path: `edited_args${path && `.${path}`}`, message }));
  throw new AppError('VALIDATION_FAILED', {
    message: `${details[0]?.path} ${details[0]?.message}.`,
    details,
  });
}

export function resolutionOf(response: ApprovalResponse, by: string, now: Date): Resolution {
  return {
    status: statuses[response.action],
    editedArguments: response.action === 'approve_edited' ? (response.edited_args ?? null) : null,
    reason: response.action === 'deny' ? (response.text ?? null) : null,
    resolvedAt: now,
    resolvedBy: by,
    grantId: null,
  };
}

/** The resolution of an approval that is no longer valid. */
export function expiry(reason: ExpiryReason, now: Date): Resolution {
  return {
    status: 'expired',
    editedArguments: null,
    reason,
    resolvedAt: now,
    resolvedBy: null,
    grantId: null,
  };
}

/** The fields of an approval that nobody has answered. */
export const unanswered: Resolution = {
  status: 'pending',
  editedArguments: null,
  reason: null,
  resolvedAt: null,
  resolvedBy: null,
  grantId: null,
};
