import type { Log } from '../../lib/log.ts';
import type { Line } from '../transports/call-transport.ts';

/** Whether the other side could be passed on; if not, the line goes on. */
export async function transferLine(line: Line, to: string, log: Log): Promise<boolean> {
  try {
    await line.transfer(to);
    return true;
  } catch (error) {
    log.warn({ err: error }, 'A caller could not be transferred.');
    return false;
  }
}
