import { ExtractionError } from '../source-failure.ts';

export interface Declared {
  contentType: string | null;
  /** HTML may declare its own character set. */
  isHtml: boolean;
}

const looksAt = 8_192;
/** Texts have hardly any control characters; one in ten random bytes is one. */
const maxControls = 0.02;

/**
 * Decodes bytes by their byte order mark, by what is declared, as UTF-16 when every second byte is zero, as UTF-8 when they
 * are valid, and otherwise as Windows-1252, which is what undeclared Western text usually is. Throws only when it is not
 * text.
 */
export function decodeText(bytes: Uint8Array, declared: Declared): string {
  const text = decode(bytes, declared);
  const start = text.slice(0, 100_000);
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  const controls = start.match(/[\0-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f\ufffd]/g)?.length ?? 0;
  if (controls > start.length * maxControls) {
    throw new ExtractionError(
      'It is not text: only PDF, Word (.docx), HTML, Markdown and plain text can be read.',
    );
  }
  return text;
}

function decode(bytes: Uint8Array, declared: Declared): string {
  const charset = markOf(bytes) ?? declaredCharset(bytes, declared) ?? guessUtf16(bytes);
  if (charset && charset !== 'utf-8') return new TextDecoder(charset).decode(bytes);
  const text = new TextDecoder().decode(bytes);
  const wrong = countOf(text, /\ufffd/g);
  if (wrong === 0) return text;
  // A few damaged bytes do not change what is clearly UTF-8.
  const right = countOf(text, /[^\0-\x7f\ufffd]/g);
  return right > wrong ? text : new TextDecoder('windows-1252').decode(bytes);
}

function countOf(text: string, pattern: RegExp): number {
  let count = 0;
  while (pattern.test(text)) count += 1;
  return count;
}

function markOf(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return undefined;
}

/** Undefined for unknown character sets, and for UTF-8, which is tried anyway. */
function declaredCharset(bytes: Uint8Array, { contentType, isHtml }: Declared): string | undefined {
  const inType = /charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(contentType ?? '')?.[1];
  const inPage = isHtml ? charsetOfPage(bytes) : undefined;
  const label = inType ?? inPage;
  if (label === undefined) return undefined;
  try {
    const { encoding } = new TextDecoder(label);
    // A page whose declaration can be read as ASCII is not in UTF-16.
    return encoding === 'utf-8' || (!inType && encoding.startsWith('utf-16')) ? undefined : encoding;
  } catch {
    // An unknown name is ignored.
    return undefined;
  }
}

function charsetOfPage(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, looksAt)).toString('latin1');
  const inXml = /^\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([\w:.-]{1,40})/i.exec(start)?.[1];
  return /<meta[^>]{0,200}charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(start)?.[1] ?? inXml;
}

function guessUtf16(bytes: Uint8Array): string | undefined {
  const start = bytes.subarray(0, looksAt);
  const zeros = [0, 0];
  for (const [index, byte] of start.entries()) if (byte === 0) zeros[index % 2]! += 1;
  const [even = 0, odd = 0] = zeros.map((count) => count / (start.length / 2));
  if (odd > 0.3 && even < 0.05) return 'utf-16le';
  return even > 0.3 && odd < 0.05 ? 'utf-16be' : undefined;
}
