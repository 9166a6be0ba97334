import { readFileSync } from 'node:fs';
import { ExplainedError } from './explained-error.ts';

export interface Config {
  url: string;
  key?: string;
  /** Where the key was read from. */
  keyFile?: string;
  stateFolder?: string;
  /** The XDG folder for state on Linux, or the one for application data on Windows. */
  localState?: string;
  /** NO_COLOR is set, or the terminal cannot show colors. */
  isPlain: boolean;
}

/** The daemon's only look at the environment; options on the command line win. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const text = (name: string) => environment[name]?.trim() || undefined;
  const key = secret('SVC_MACHINE_KEY');
  const keyFile = text('SVC_MACHINE_KEY_FILE');
  const stateFolder = text('SVC_MACHINE_STATE');
  const localState = process.platform === 'win32' ? text('LOCALAPPDATA') : text('XDG_STATE_HOME');
  return {
    url: text('SVC_URL') ?? 'http://127.0.0.1:3000',
    ...(key !== undefined && { key }),
    ...(keyFile !== undefined && { keyFile }),
    ...(stateFolder !== undefined && { stateFolder }),
    ...(localState !== undefined && { localState }),
    isPlain: text('NO_COLOR') !== undefined || text('TERM') === 'dumb',
  };

  /** From NAME, or from the file that NAME_FILE names. */
  function secret(name: string): string | undefined {
    const file = text(`${name}_FILE`);
    if (!file) return text(name);
    if (text(name)) throw new ExplainedError(`${name} and ${name}_FILE are both set: keep one of them.`);
    try {
      return readFileSync(file, 'utf8').trim() || undefined;
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
      throw new ExplainedError(`${name}_FILE names a file that cannot be read (${reason}).`);
    }
  }
}

const keyPattern = /^svc_mk_[A-Za-z0-9_-]{32,200}$/;

export function checkKey(key: string | undefined): string {
  if (!key) {
    throw new ExplainedError('A machine key is needed: set SVC_MACHINE_KEY or SVC_MACHINE_KEY_FILE.');
  }
  if (keyPattern.test(key)) return key;
  throw new ExplainedError(
    'The key is not a machine key. Machine keys start with svc_mk_; POST /api/v1/machines returns one.',
  );
}
