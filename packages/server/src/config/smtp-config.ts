/** The service's own mail server. */
export interface SmtpConfig {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise STARTTLS when the server offers it. */
  secure: boolean;
  username?: string;
  /** Secret. */
  password?: string;
  from: string;
}

/** Parses `smtp://user:password@host:port`, or `smtps://` for TLS from the first byte. Undefined without a host. */
export function parseSmtp(url: string, from: string): SmtpConfig | undefined {
  const { protocol, hostname, port, username, password } = new URL(url);
  if (!hostname) return undefined;
  const secure = protocol === 'smtps:';
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port ? Number(port) : secure ? 465 : 587,
    secure,
    ...(username && { username: decode(username) }),
    ...(password && { password: decode(password) }),
    from,
  };
}

/** A password with a bare percent sign is taken literally. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
