import crypto, { type ScryptOptions } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const { scrypt } = crypto;
let isCheap = true;

function scryptOrCheaper(
  password: string,
  salt: string,
  length: number,
  options: ScryptOptions,
  done: (error: Error | null, key: Buffer) => void,
): void {
  scrypt(password, salt, length, isCheap ? { ...options, N: 2 } : options, done);
}

/**
 * Checking a password takes 0.1 s of processor time on purpose, and the tests check hundreds. In the process of the tests it takes
 * next to nothing; service processes are not changed.
 */
export function makePasswordsCheap(): void {
  Object.assign(crypto, { scrypt: scryptOrCheaper });
  syncBuiltinESMExports();
}

/** For tests about the cost of passwords, and for passwords that a service process checks. */
export async function withCostlyPasswords<Result>(work: () => Promise<Result>): Promise<Result> {
  isCheap = false;
  try {
    return await work();
  } finally {
    isCheap = true;
  }
}
