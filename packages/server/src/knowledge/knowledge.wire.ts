import type { Knowledge } from '@svc/contract/knowledge';
import type { KnowledgeRow } from './knowledge.store.ts';

export function toWire(row: KnowledgeRow): Knowledge {
  return { ...withoutContent(row), content: row.content, content_truncated: row.contentTruncated };
}

/** For lists: the text may be long. */
export function withoutContent(
  row: Omit<KnowledgeRow, 'content' | 'contentTruncated'>,
): Omit<Knowledge, 'content' | 'content_truncated'> {
  return {
    id: row.id,
    tenant_id: row.workspaceId,
    bot_id: row.botId,
    title: row.title,
    content_type: row.contentType,
    source_filename: row.sourceFilename,
    source_url: row.sourceUrl,
    metadata: row.metadata,
    processing_status: row.processingStatus,
    // Stored as a 32-bit float, which cannot represent 0.35 exactly.
    processing_progress: Math.round(row.processingProgress * 1000) / 1000,
    error: row.error,
    status: row.status,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
