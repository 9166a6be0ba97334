/** Whether it reads `redis://user:password@host:port/database`, or `rediss://` for TLS, with all but the host optional. */
export function isRedisUrl(value: string): boolean {
  const url = URL.parse(value);
  if (!url || !['redis:', 'rediss:'].includes(url.protocol) || !url.hostname) return false;
  return /^\/?\d{0,5}$/.test(url.pathname) && isEncoded(url.username) && isEncoded(url.password);
}

function isEncoded(text: string): boolean {
  return /^(?:[^%]|%[\da-f]{2})*$/i.test(text);
}
