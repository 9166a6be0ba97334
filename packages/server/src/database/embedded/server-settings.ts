export const settingsFileName = 'service.conf';

export type Listening = { socketDirectory: string; port: number } | { loopbackPort: number };

/** They lie in a file that PostgreSQL reads before what `ALTER SYSTEM` has written: an operator has the last word. */
export function renderSettings(listening: Listening, extra: Readonly<Record<string, string>>): string {
  const settings = { ...addressSettings(listening), ...commonSettings, ...extra };
  return Object.entries(settings)
    .map(([name, value]) => `${name} = '${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'\n`)
    .join('');
}

const commonSettings = {
  max_connections: '100',
  shared_buffers: '128MB',
  max_wal_size: '1GB',
  random_page_cost: '1.1',
  // Compiling costs more than it saves on short queries.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Failed statements are reported by whoever ran them. Here they would grow the log and leak what users wrote.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
};

function addressSettings(listening: Listening): Record<string, string> {
  if ('loopbackPort' in listening) {
    return {
      listen_addresses: '127.0.0.1',
      port: String(listening.loopbackPort),
      unix_socket_directories: '',
    };
  }
  return {
    listen_addresses: '',
    port: String(listening.port),
    // A list of names: quoted, or a comma or a space in the path would split it.
    unix_socket_directories: `"${listening.socketDirectory.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
  };
}
