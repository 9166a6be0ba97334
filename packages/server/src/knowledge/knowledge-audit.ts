import type { AuditAction } from '@svc/contract/audit';
import { recordChange } from '../audit/audit.service.ts';
import type { Transaction } from '../database/database.ts';
import type { NewKnowledge } from './knowledge.store.ts';

export function recordKnowledgeAdded(
  tx: Transaction,
  workspaceId: string,
  source: NewKnowledge,
): Promise<void> {
  const { id, title, botId, contentType, sourceFilename, metadata } = source;
  return recordChange(tx, workspaceId, {
    action: 'knowledge.added',
    object: { id, name: title },
    after: {
      title,
      bot_id: botId,
      content_type: contentType,
      source_filename: sourceFilename,
      source_url: source.sourceUrl,
      metadata,
    },
  });
}

/** A change of a source's state. */
export function recordKnowledge(
  tx: Transaction,
  workspaceId: string,
  action: Extract<AuditAction, `knowledge.${string}`>,
  { id, title }: { id: string; title: string },
): Promise<void> {
  return recordChange(tx, workspaceId, { action, object: { id, name: title } });
}
