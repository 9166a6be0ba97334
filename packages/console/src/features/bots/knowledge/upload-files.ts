import { ApiError } from '@svc/client/api-error';
import type { Api } from '../../../api/client.ts';
import { uploadFile } from '../../../api/upload.ts';
import { messageOf } from '../../../kit/placeholders.tsx';
import { refusalOf } from '../../knowledge/refusal-of.ts';

/** Throws, with a reason for each, if it is certain that none of the files can be used. */
export function requireUsable(files: readonly File[]): void {
  const refused = files.flatMap((file) => refusalOf(file) ?? []);
  if (refused.length === files.length) throw noneUsable(files.map((file) => named(file, refusalOf(file))));
}

/**
 * Uploads files as knowledge of a bot, one by one: the service takes only a few in one request. Returns why some could not be
 * used; throws if none could.
 */
export async function uploadFiles(api: Api, botId: string, files: readonly File[]): Promise<string[]> {
  const reasons: string[] = [];
  for (const file of files) {
    const reason = refusalOf(file) ?? (await upload(api, botId, file));
    if (reason !== undefined) reasons.push(named(file, reason));
  }
  if (reasons.length === files.length) throw noneUsable(reasons);
  return reasons;
}

/** Returns why it was not accepted. */
async function upload(api: Api, botId: string, file: File): Promise<string | undefined> {
  try {
    await uploadFile(api, file, { botId });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return messageOf(error);
    throw error;
  }
}

function named({ name }: File, reason = ''): string {
  return `${name}: ${reason}`;
}

function noneUsable(reasons: readonly string[]): ApiError {
  return new ApiError({
    status: 400,
    code: 'VALIDATION_FAILED',
    message: 'None of the files could be used.',
    details: reasons.map((message) => ({ message })),
  });
}
