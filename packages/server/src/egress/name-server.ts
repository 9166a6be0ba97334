import { isIP } from 'node:net';

/** Whether a resolver can use it as a server: `10.0.0.2`, `10.0.0.2:53`, `fd00::2` or `[fd00::2]:53`. */
export function isNameServer(text: string): boolean {
  const [, wide, narrow, port = '53'] = /^(?:\[(.+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  return isIP(wide ?? narrow ?? text) !== 0 && Number(port) >= 1 && Number(port) <= 65_535;
}
