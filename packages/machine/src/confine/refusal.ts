/** An operation that is not carried out. The message is written for the model. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

const reasons: Record<string, string> = {
  EACCES: 'this machine gives no permission for it',
  EBUSY: 'another program is using it',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'something with that name already exists',
  EISDIR: 'it is a folder',
  ELOOP: 'it is a link, or has too many links in its path',
  EMFILE: 'this machine has too many open files',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'part of its path is not a folder',
  ENOTEMPTY: 'the folder is not empty',
  EPERM: 'this machine does not allow it',
  EROFS: 'the file system is read-only',
};

export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Runs `action`, and turns errors of the file system into a refusal that names the path as the model knows it. */
export function explaining<Result>(path: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw toRefusal(path, error);
  }
}

function toRefusal(path: string, error: unknown): unknown {
  const code = codeOf(error);
  if (error instanceof Refusal || !code?.startsWith('E')) return error;
  if (code.startsWith('ERR_')) return error;
  return new Refusal(`${quote(path)} cannot be used: ${reasons[code] ?? code}.`);
}

/** Names come from elsewhere: control characters in them are escaped. */
export function quote(path: string): string {
  return JSON.stringify(path);
}
