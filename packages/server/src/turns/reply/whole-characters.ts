/**
 * Passes text on so that no piece ends between the two halves of a character, and drops what PostgreSQL cannot store:
 * a model may write anything.
 */
export function createWholeCharacters(): { push(text: string): string; rest(): string } {
  let held = '';
  return {
    push(text) {
      const whole = held + text;
      const last = whole.charCodeAt(whole.length - 1);
      const endsInHalf = last >= 0xd800 && last <= 0xdbff;
      held = endsInHalf ? whole.slice(-1) : '';
      return (endsInHalf ? whole.slice(0, -1) : whole).toWellFormed().replaceAll('\0', '');
    },
    /** What is left at the end: half a character that nothing completed is not text. */
    rest() {
      const left = held ? '\uFFFD' : '';
      held = '';
      return left;
    },
  };
}
