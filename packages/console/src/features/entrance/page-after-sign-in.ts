/** Where a person goes after the sign-in: only to pages of the console itself. */
export function pageAfterSignIn(next: string | undefined): string {
  return next !== undefined && /^\/(w\/|invite\?)/.test(next) ? next : '/';
}
