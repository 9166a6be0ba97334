/** The machine's clock that only goes forward: the same for every process. */
export function microseconds(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
