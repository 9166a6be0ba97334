import { closeSync, readFileSync, readSync } from 'node:fs';
import type { FileImage } from '@svc/contract/machine-protocol';
import { openRegular } from '../../confine/open-regular.ts';
import { quote, Refusal } from '../../confine/refusal.ts';

/** What models take at most, as base64. */
const maxImageBytes = 3_500_000;

/** The image in a file; undefined if it is none. One that is not wanted is refused: the model cannot see it. */
export function readImage(
  name: string,
  shown: string,
  isWanted: boolean,
): Omit<FileImage, 'path'> | undefined {
  const { descriptor, stat } = openRegular(name, shown);
  try {
    const start = Buffer.alloc(16);
    const type = mediaTypeOf(start.subarray(0, readSync(descriptor, start, 0, start.length, 0)));
    if (!type) return undefined;
    if (!isWanted)
      throw new Refusal(`${quote(shown)} is an image (${type}, ${stat.size} bytes), which you cannot see.`);
    if (stat.size > maxImageBytes)
      throw new Refusal(
        `${quote(shown)} is an image of ${stat.size} bytes; images of at most ${maxImageBytes} bytes can be shown. Make a smaller copy of it and read that.`,
      );
    const data = readFileSync(descriptor);
    return { size: data.length, image: { media_type: type, data: data.toString('base64') } };
  } finally {
    closeSync(descriptor);
  }
}

/** By the first bytes: names can be wrong. */
function mediaTypeOf(start: Buffer): FileImage['image']['media_type'] | undefined {
  const text = start.toString('latin1');
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(text)) return 'image/gif';
  return text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP' ? 'image/webp' : undefined;
}
