import { ConfigError } from '../config/config-error.ts';
import type { FrontDoor } from '../http/front-door.ts';

/** Fails with a sentence that names the variables. */
export async function listen(door: FrontDoor, port: number, host: string): Promise<{ port: number }> {
  try {
    return await door.listen(port, host);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new ConfigError(`PORT ${port} is already in use on ${host}: choose another.`, { cause: error });
    throw new ConfigError(`HOST ${host} and PORT ${port} cannot be listened on (${code}).`, { cause: error });
  }
}
