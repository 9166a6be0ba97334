import { bytes } from '../../format/numbers.ts';

/** As the service checks them; it has the last word. */
export const fileExtensions = ['.txt', '.pdf', '.docx', '.md', '.html', '.htm'];
const maxBytes = 5 * 1024 * 1024;

export const acceptedFiles = fileExtensions.join(',');

/** Why a file need not be sent at all. */
export function refusalOf({ name, size }: Pick<File, 'name' | 'size'>): string | undefined {
  const extension = /\.[^.]+$/.exec(name)?.[0].toLowerCase() ?? '';
  if (!fileExtensions.includes(extension)) return `Only ${fileExtensions.join(', ')} files can be read.`;
  if (size === 0) return 'The file is empty.';
  if (size > maxBytes)
    return `It has ${bytes(size)}; at most ${bytes(maxBytes)} can be read. Split it into parts.`;
  return undefined;
}
