export const openPaletteEvent = 'svc-open-palette';

/** For buttons; the key is ⌘K. */
export function openPalette(): void {
  window.dispatchEvent(new Event(openPaletteEvent));
}
