import type { CommandServices } from './with-services.ts';

/** Loads the database code only for commands that need it, so that `--help` is instant. */
export async function withServices<Result>(
  work: (services: CommandServices) => Promise<Result>,
): Promise<Result> {
  const services = await import('./with-services.ts');
  return services.withServices(work);
}
