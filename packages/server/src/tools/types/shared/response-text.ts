const readable =
  /^(text\/.*|application\/(.*\+)?(json|xml|yaml|x-yaml|javascript|x-ndjson|jsonl|x-www-form-urlencoded|graphql|toml|rtf)|image\/svg\+xml)$/;
const looksAt = 4096;

/** `text/html` of `text/html; charset=utf-8`. */
export function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** The body as text in its own character set; undefined when it is something else (a picture, an archive, a PDF). */
export function textOf(body: Buffer, contentType: string | undefined): string | undefined {
  const type = mediaTypeOf(contentType);
  const unnamed = type === '' || type === 'application/octet-stream';
  if (!readable.test(type) && !(unnamed && looksLikeText(body))) return undefined;
  const charset = /charset\s*=\s*"?([\w:.-]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
  return decoderFor(charset).decode(body);
}

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    // Unknown character set: most of it will be ASCII anyway.
    return new TextDecoder();
  }
}

function looksLikeText(body: Buffer): boolean {
  const start = body.subarray(0, looksAt);
  if (start.includes(0)) return false;
  const decoded = new TextDecoder().decode(start);
  // One may come from a character that was cut in half.
  return decoded.split('\uFFFD').length <= 2;
}
