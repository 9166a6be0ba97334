/** The content type of a picture, by its first bytes; undefined for anything but PNG, JPEG, GIF and WebP. */
export function pictureType(bytes: Buffer): string | undefined {
  const begins = (text: string, offset = 0) =>
    bytes.toString('latin1', offset, offset + text.length) === text;
  if (begins('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (begins('\xff\xd8\xff')) return 'image/jpeg';
  if (begins('GIF87a') || begins('GIF89a')) return 'image/gif';
  if (begins('RIFF') && begins('WEBP', 8)) return 'image/webp';
  return undefined;
}
