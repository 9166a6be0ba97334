import { createContext, Script } from 'node:vm';

const program = new Script('new RegExp(pattern, flags).test(text)');

/**
 * Whether a text fits a regular expression that somebody else wrote. Some need longer than the age of the universe, and
 * the only thing that stops one is the limit that a script of `node:vm` has. The program is ours and never changes; the
 * expression and the text are plain strings in it. Returns undefined when time ran out.
 */
export function matchesPattern(pattern: string, text: string, withinMs: number): boolean | undefined {
  const flags = isPattern(pattern, 'u') ? 'u' : '';
  try {
    const scope = createContext(
      { pattern, flags, text },
      { codeGeneration: { strings: false, wasm: false } },
    );
    return program.runInContext(scope, { timeout: Math.max(1, Math.ceil(withinMs)) }) === true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
}

export function isPattern(pattern: string, flags = ''): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}
