import { ApiError, offlineError, toApiError } from '@svc/client/api-error';
import type { Api } from './client.ts';
import { randomId } from './random-id.ts';

interface UploadOptions {
  botId: string | undefined;
  onProgress?: (share: number) => void;
  signal?: AbortSignal;
}

/** Uploads one file as knowledge. By XMLHttpRequest, because fetch does not report how much has been sent. */
export function uploadFile(api: Api, file: File, options: UploadOptions): Promise<{ id: string }> {
  const { botId, onProgress, signal } = options;
  const form = new FormData();
  if (botId) form.append('bot_id', botId);
  form.append('files', file, file.name);
  const request = new XMLHttpRequest();
  request.open('POST', '/api/v1/knowledge');
  request.setRequestHeader('x-svc-workspace', api.workspaceId);
  request.setRequestHeader('idempotency-key', randomId());
  request.setRequestHeader('accept', 'application/json');
  request.upload.addEventListener('progress', ({ loaded, total }) =>
    onProgress?.(total > 0 ? loaded / total : 0),
  );
  signal?.addEventListener('abort', () => request.abort(), { once: true });
  return new Promise((resolve, reject) => {
    const fail = () => reject(offlineError());
    request.addEventListener('error', fail);
    request.addEventListener('abort', fail);
    request.addEventListener('load', () => {
      void readAnswer(request).then(resolve, reject);
    });
    request.send(form);
  });
}

interface Outcome {
  created?: { id: string }[];
  errors?: { reason: string }[];
}

/** A file that cannot be used is named in the answer, with the reason. */
async function readAnswer({ status, responseText }: XMLHttpRequest): Promise<{ id: string }> {
  const outcome = parse(responseText);
  const reason = outcome?.errors?.[0]?.reason;
  if (reason !== undefined) throw new ApiError({ status, code: 'VALIDATION_FAILED', message: reason });
  const created = outcome?.created?.[0];
  if (created) return created;
  throw await toApiError(new Response(responseText, { status: Math.max(status, 400) }));
}

function parse(text: string): Outcome | undefined {
  try {
    return JSON.parse(text) as Outcome;
  } catch {
    // A proxy may answer with a page of its own.
    return undefined;
  }
}
