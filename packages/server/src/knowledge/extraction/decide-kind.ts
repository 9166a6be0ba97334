import { ExtractionError } from '../source-failure.ts';

export type Kind = 'pdf' | 'zip' | 'html' | 'markdown' | 'text';

export interface Named {
  filename: string | null;
  contentType: string | null;
}

/** Files that cannot be read, by their first bytes, with advice. */
const foreign: readonly [start: string | RegExp, name: string, advice: string][] = [
  ['\x89PNG', 'a PNG image', 'only text can be read'],
  ['\xff\xd8\xff', 'a JPEG image', 'only text can be read'],
  ['GIF87a', 'a GIF image', 'only text can be read'],
  ['GIF89a', 'a GIF image', 'only text can be read'],
  [/^RIFF[^]{4}WEBP/, 'a WebP image', 'only text can be read'],
  ['II*\0', 'a TIFF image', 'only text can be read'],
  ['MM\0*', 'a TIFF image', 'only text can be read'],
  ['\x1f\x8b', 'a gzip archive', 'unpack it and upload the files'],
  ['7z\xbc\xaf\x27\x1c', 'a 7-Zip archive', 'unpack it and upload the files'],
  ['Rar!\x1a\x07', 'a RAR archive', 'unpack it and upload the files'],
  ['\x7fELF', 'a program', 'only text can be read'],
  ['{\\rtf', 'an RTF document', 'save it as .docx'],
  ['%!PS', 'a PostScript document', 'save it as PDF'],
];
const oldOffice = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';
const page =
  /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^]{0,500}?-->\s*)?<(?:!doctype\s+html|html[\s>])/i;

/** The bytes decide; name and declared type only distinguish kinds of text. */
export function decideKind(bytes: Uint8Array, { filename, contentType }: Named): Kind {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 2048)).toString('latin1');
  const extension = /\.([a-z]{1,8})$/i.exec(filename ?? '')?.[1]?.toLowerCase() ?? '';
  const found = kindOfBytes(start, bytes, extension);
  if (extension === 'pdf' && found !== 'pdf') throw misnamed('.pdf', 'PDF', found, start);
  if (extension === 'docx' && found !== 'zip') throw misnamed('.docx', 'Word document', found, start);
  return found ?? kindOfText(start, extension, contentType);
}

function kindOfBytes(start: string, bytes: Uint8Array, extension: string): 'pdf' | 'zip' | undefined {
  // PDF readers look for it in the first 1,024 bytes, but a text may mention it there.
  if (/^\s*%PDF-\d/.test(start)) return 'pdf';
  if (extension === 'pdf' && start.slice(0, 1024).includes('%PDF-')) return 'pdf';
  if (start.startsWith('PK\x03\x04') || start.startsWith('PK\x05\x06')) return 'zip';
  if (start.startsWith(oldOffice)) throw oldOfficeDocument(bytes);
  const other = foreign.find(([mark]) =>
    typeof mark === 'string' ? start.startsWith(mark) : mark.test(start),
  );
  if (other) throw new ExtractionError(`It is ${other[1]}: ${other[2]}.`);
  return undefined;
}

function kindOfText(start: string, extension: string, contentType: string | null): Kind {
  if (/^(html?|xhtml)$/.test(extension) || page.test(withoutNulls(start))) return 'html';
  if (/^(md|markdown)$/.test(extension)) return 'markdown';
  if (extension !== '') return 'text';
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  return type === 'text/markdown' ? 'markdown' : 'text';
}

/** ASCII in UTF-16 without its byte order mark. */
function withoutNulls(start: string): string {
  return start.replace(/^(?:\xff\xfe|\xfe\xff)/, '').replaceAll('\0', '');
}

function misnamed(extension: string, name: string, found: Kind | undefined, start: string): ExtractionError {
  const but = `Its name ends in ${extension}, but it is`;
  if (!found && page.test(withoutNulls(start))) {
    // A download without being signed in gives the sign-in page instead.
    return new ExtractionError(`${but} a web page and not a ${name}: download the document itself.`);
  }
  const is = { pdf: 'a PDF', zip: 'a ZIP archive' }[found as 'pdf' | 'zip'] ?? 'something else';
  return new ExtractionError(`${but} ${is} and not a ${name}.`);
}

function oldOfficeDocument(bytes: Uint8Array): ExtractionError {
  const isEncrypted = Buffer.from(bytes).includes(Buffer.from('EncryptedPackage', 'utf16le'));
  return new ExtractionError(
    isEncrypted
      ? 'The document is protected by a password: remove it and upload the file again.'
      : 'It is in an old Office format: save it as .docx and upload that.',
  );
}
