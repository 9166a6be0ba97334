/** The places in the order that must be written so that one hook comes before or after its neighbor. */
export function ordersAfterMove(
  hooks: readonly { id: string; run_order: number }[],
  index: number,
  by: 1 | -1,
): [id: string, order: number][] {
  const moved = hooks[index];
  if (!moved || !hooks[index + by]) return [];
  const next = hooks.toSpliced(index, 1).toSpliced(index + by, 0, moved);
  return next.flatMap(({ id, run_order: before }, position): [string, number][] =>
    before === position ? [] : [[id, position]],
  );
}
