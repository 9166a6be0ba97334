import { mostUploadFileBytes, uploadExtensions } from '@svc/contract/knowledge';

export interface OfferedFile {
  filename: string;
  size: number;
  isTooLarge: boolean;
  bytes(): Buffer;
}

/** Some writers put a few lines before it. */
const pdfMarkWithin = 1024;
const zipMark = Buffer.from('PK\u0003\u0004', 'latin1');

/** Why a file is not taken, as a sentence for whoever sent it; undefined when it is. */
export function refusalOf(file: OfferedFile): string | undefined {
  if (file.filename === '') return 'The file has no name.';
  const extension = /\.[^.]+$/.exec(file.filename)?.[0].toLowerCase() ?? '';
  if (!uploadExtensions.some((one) => one === extension)) {
    return `The file must be one of ${uploadExtensions.join(', ')}.`;
  }
  if (file.isTooLarge) return `The file is larger than ${mostUploadFileBytes} bytes.`;
  if (file.size === 0) return 'The file is empty.';
  return hasContentOf(extension, file.bytes()) ? undefined : `The file is named ${extension} but is not one.`;
}

/** What a file really is shows in its first bytes; its name is only what somebody says. */
function hasContentOf(extension: string, bytes: Buffer): boolean {
  switch (extension) {
    case '.pdf':
      return bytes.subarray(0, pdfMarkWithin).includes('%PDF-');
    case '.docx':
      return bytes.subarray(0, zipMark.length).equals(zipMark);
    default:
      return isText(bytes);
  }
}

/** Text has no zero bytes, but in UTF-16, which says so at its beginning. */
function isText(bytes: Buffer): boolean {
  const mark = bytes.subarray(0, 2).toString('hex');
  return mark === 'fffe' || mark === 'feff' || !bytes.includes(0);
}
