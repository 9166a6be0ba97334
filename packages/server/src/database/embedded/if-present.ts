import { errorCode } from './error-code.ts';

/** The result of a look at a file, or undefined when there is no such file. */
export async function ifPresent<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
