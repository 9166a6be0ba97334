import type { DiscoveredTools } from '@svc/contract/discover';
import type { FieldError } from '@svc/contract/errors';
import { AppError } from '../../lib/app-error.ts';
import type { DraftCheck } from '../check-draft.ts';
import { maxReadCharacters } from '../fit-text.ts';
import { isSwagger2, parseDocument } from './document.ts';
import { draftFromOpenApi } from './draft-openapi-tools.ts';
import { fromSwagger2 } from './swagger-2.ts';

/** A text that may be an OpenAPI document, as it is passed to the thread. */
export interface DocumentSource {
  bytes: Uint8Array;
  /** As the server sent it; unknown ones are read as UTF-8. */
  charset: string;
  /** Undefined for a text from the request. */
  url: string | undefined;
  /** The field of the request that it came from. */
  field: 'url' | 'documentation';
  goal: string | undefined;
  operations: readonly string[] | undefined;
}

/** A text for a model, cut to the most that any model is given. */
export interface Prose {
  text: string;
  isCut: boolean;
}

/** What the thread sends back, which is never the document itself. */
export type DocumentMessage =
  | { kind: 'listed'; operations: number }
  | { kind: 'drafted'; drafted: DiscoveredTools }
  /** Not an OpenAPI document. */
  | { kind: 'other'; prose: Prose }
  | { kind: 'refused'; message: string; details?: FieldError[] };

/** Decodes, parses and drafts. Runs in a thread. */
export function draftDocument(
  source: DocumentSource,
  check: DraftCheck,
  send: (message: DocumentMessage) => void,
): void {
  try {
    const text = decodeText(source);
    const document = parseDocument(text, source.field);
    if (!document) return send({ kind: 'other', prose: beginningOf(text) });
    const read = isSwagger2(document) ? fromSwagger2(document) : { document };
    const onListed = (operations: number) => send({ kind: 'listed', operations });
    send({ kind: 'drafted', drafted: draftFromOpenApi({ ...source, ...read }, check, onListed) });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const details = error.details && { details: error.details as FieldError[] };
    send({ kind: 'refused', message: error.message, ...details });
  }
}

export function decodeText({ bytes, charset }: Pick<DocumentSource, 'bytes' | 'charset'>): string {
  return decoderFor(charset).decode(bytes);
}

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    // Most of a text in an unknown character set is still ASCII.
    return new TextDecoder();
  }
}

function beginningOf(text: string): Prose {
  // A copy, because a slice would keep the whole text in memory.
  const beginning = Buffer.from(text.slice(0, maxReadCharacters)).toString();
  return { text: beginning, isCut: text.length > maxReadCharacters };
}
