import type { ToolDraft } from '@svc/contract/discover';
import type { FieldError } from '@svc/contract/errors';
import { AppError } from '../../app-error.ts';
import type { DraftCheck } from '../check-draft.ts';
import { parseDocument } from './document.ts';
import { draftFromOpenApi } from './draft-tools.ts';

/** A text that may be an OpenAPI document, as it goes into the thread. */
export interface DocumentSource {
  text: string;
  /** Where it was fetched. */
  url: string | undefined;
  /** The field of the request that it came from. */
  field: string;
  goal: string | undefined;
}

/** What the thread says. Only this comes back, never the document. */
export type DocumentWord =
  | { kind: 'listed'; operations: number }
  | { kind: 'drafted'; draft: ToolDraft }
  /** It is no OpenAPI document. */
  | { kind: 'other' }
  | { kind: 'refused'; message: string; details?: FieldError[] };

/** The whole way from a text to drafts. Runs in a thread. */
export function draftDocument(
  source: DocumentSource,
  check: DraftCheck,
  say: (word: DocumentWord) => void,
): void {
  try {
    const document = parseDocument(source.text, source.field);
    if (!document) return say({ kind: 'other' });
    const onListed = (operations: number) => say({ kind: 'listed', operations });
    say({ kind: 'drafted', draft: draftFromOpenApi({ ...source, document }, check, onListed) });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const details = error.details && { details: error.details as FieldError[] };
    say({ kind: 'refused', message: error.message, ...details });
  }
}
