import type { DiscoveredTools } from '@svc/contract/discover';
import type { FieldError } from '@svc/contract/errors';
import { AppError } from '../../app-error.ts';
import type { DraftCheck } from '../check-draft.ts';
import { mostReadCharacters } from '../fit-text.ts';
import { parseDocument } from './document.ts';
import { draftFromOpenApi } from './draft-tools.ts';

/** A text that may be an OpenAPI document, as it goes into the thread. */
export interface DocumentSource {
  bytes: Uint8Array;
  /** As the server named it; UTF-8 unless it is known. */
  charset: string;
  /** Where it was fetched. */
  url: string | undefined;
  /** The field of the request that it came from. */
  field: 'url' | 'documentation';
  goal: string | undefined;
  operations: readonly string[] | undefined;
}

/** A text for a model, no longer than any reads. */
export interface Prose {
  text: string;
  isCut: boolean;
}

/** What the thread says. Only this comes back, never the document. */
export type DocumentWord =
  | { kind: 'listed'; operations: number }
  | { kind: 'drafted'; drafted: DiscoveredTools }
  /** It is no OpenAPI document. */
  | { kind: 'other'; prose: Prose }
  | { kind: 'refused'; message: string; details?: FieldError[] };

/** The whole way from bytes to drafts. Runs in a thread. */
export function draftDocument(
  source: DocumentSource,
  check: DraftCheck,
  say: (word: DocumentWord) => void,
): void {
  try {
    const text = decodeText(source);
    const document = parseDocument(text, source.field);
    if (!document) return say({ kind: 'other', prose: beginningOf(text) });
    const onListed = (operations: number) => say({ kind: 'listed', operations });
    say({ kind: 'drafted', drafted: draftFromOpenApi({ ...source, document }, check, onListed) });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const details = error.details && { details: error.details as FieldError[] };
    say({ kind: 'refused', message: error.message, ...details });
  }
}

/** In its own character set. */
export function decodeText({ bytes, charset }: Pick<DocumentSource, 'bytes' | 'charset'>): string {
  return decoderFor(charset).decode(bytes);
}

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    // A character set that nobody knows: most of it will still be ASCII.
    return new TextDecoder();
  }
}

function beginningOf(text: string): Prose {
  // A copy, so that the whole text is not held by its beginning.
  const beginning = Buffer.from(text.slice(0, mostReadCharacters)).toString();
  return { text: beginning, isCut: text.length > mostReadCharacters };
}
