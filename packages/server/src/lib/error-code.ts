/** The code of a system or PostgreSQL error, such as `ENOENT` or `57P03`. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
