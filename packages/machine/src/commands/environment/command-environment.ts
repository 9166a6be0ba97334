/** Everything else may be a secret: keys of cloud providers, tokens, sockets of agents. */
const allowed = new Set([
  'HOME',
  'LANG',
  'LANGUAGE',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TMPDIR',
  'TZ',
  'USER',
  // Where tools and certificates are.
  'GOROOT',
  'JAVA_HOME',
  'NIX_SSL_CERT_FILE',
  'NVM_DIR',
  'PNPM_HOME',
  'PYENV_ROOT',
  'RBENV_ROOT',
  'RUSTUP_HOME',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  'VOLTA_HOME',
]);

/** Without these, programs on Windows do not start or do not find their folders. */
const allowedOnWindows = new Set([
  'ALLUSERSPROFILE',
  'APPDATA',
  'COMMONPROGRAMFILES',
  'COMMONPROGRAMFILES(X86)',
  'COMPUTERNAME',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'NUMBER_OF_PROCESSORS',
  'OS',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'PUBLIC',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]);

/**
 * Files with the right names make any folder a bare repository, whose settings can name a program to run. Without this, a
 * bot that may write files and run `git status` could run anything.
 */
const ignoreBareRepositories = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.bareRepository',
  GIT_CONFIG_VALUE_0: 'explicit',
};

const proxies = /^(?:https?|all|no)_proxy$/i;

/** The environment that commands get. A variable with this name marks every process of a command. */
export const markerName = 'SVC_MACHINE_OPERATION';

/** Variables of the daemon that commands may see, by an allowlist. */
export function commandEnvironment(
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const isAllowed = (name: string, value: string) => {
    if (proxies.test(name)) return !value.includes('@');
    if (platform === 'win32') {
      const upper = name.toUpperCase();
      return allowed.has(upper) || allowedOnWindows.has(upper);
    }
    return allowed.has(name) || name.startsWith('LC_');
  };
  const entries = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isAllowed(entry[0], entry[1]),
  );
  return {
    ...Object.fromEntries(entries),
    TERM: 'dumb',
    GIT_TERMINAL_PROMPT: '0',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    ...ignoreBareRepositories,
  };
}
