/** Whether the work was done within this time; fails if the work does. What takes longer continues on its own. */
export function waitAtMost(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds, false);
    work.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}
