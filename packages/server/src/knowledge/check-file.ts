import { maxUploadFileBytes, uploadExtensions } from '@svc/contract/knowledge';
import { decideKind } from './extraction/decide-kind.ts';
import { decodeText } from './extraction/decode-text.ts';
import { ExtractionError } from './source-failure.ts';

export interface OfferedFile {
  filename: string;
  size: number;
  isTooLarge: boolean;
  bytes(): Buffer;
}

/** Enough to distinguish text from other files. */
const textBytes = 64 * 1024;

/** Why a file is not accepted, as a sentence for its sender; undefined when it is accepted. */
export function refusalOf(file: OfferedFile): string | undefined {
  if (file.filename === '') return 'The file has no name.';
  const extension = /\.[^.]+$/.exec(file.filename)?.[0].toLowerCase() ?? '';
  if (!uploadExtensions.some((one) => one === extension)) {
    return `The file must be one of ${uploadExtensions.join(', ')}.`;
  }
  if (file.isTooLarge) return `The file is larger than ${maxUploadFileBytes} bytes.`;
  if (file.size === 0) return 'The file is empty.';
  return contentRefusalOf(file);
}

/** The bytes decide what a file is, not its name; decided here the same way as when it is read later. */
function contentRefusalOf({ filename, bytes }: OfferedFile): string | undefined {
  const named = { filename, contentType: null };
  try {
    const kind = decideKind(bytes(), named);
    const isText = kind !== 'pdf' && kind !== 'zip';
    if (isText) decodeText(bytes().subarray(0, textBytes), { contentType: null, isHtml: kind === 'html' });
    return undefined;
  } catch (error) {
    if (error instanceof ExtractionError) return error.message;
    throw error;
  }
}
