import picomatch from 'picomatch';
import { Refusal } from '../../confine/refusal.ts';

/** A pattern without a slash is about names in any folder, as in .gitignore; otherwise it is about whole paths. */
export function compileGlob(pattern: string): (path: string) => boolean {
  try {
    return picomatch(pattern.replace(/^(?:\.?\/)+/, ''), { dot: true, matchBase: !pattern.includes('/') });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal(`The pattern cannot be used: ${reason}`);
  }
}
