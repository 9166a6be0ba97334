import type { CommandServices } from './with-services.ts';

/** Loads the database and everything on it only for a command that needs them, so that help comes at once. */
export async function withServices<Result>(
  work: (services: CommandServices) => Promise<Result>,
): Promise<Result> {
  const services = await import('./with-services.ts');
  return services.withServices(work);
}
