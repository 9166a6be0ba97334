/** Says something to screen readers, once, without interrupting; errors interrupt. */
export function announce(text: string, urgency: 'polite' | 'assertive' = 'polite'): void {
  const region = document.getElementById(`announcer-${urgency}`);
  if (!region) return;
  // The same text twice in a row is said again only if the region was empty in between.
  region.textContent = '';
  requestAnimationFrame(() => {
    region.textContent = text;
  });
}
