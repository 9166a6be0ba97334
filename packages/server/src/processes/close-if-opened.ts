/** Ignores a failed opening: the caller that awaits it reports why. */
export async function closeIfOpened<Thing>(
  opening: Promise<Thing>,
  close: (thing: Thing) => Promise<void>,
): Promise<void> {
  const [outcome] = await Promise.allSettled([opening]);
  if (outcome.status === 'fulfilled') await close(outcome.value);
}
