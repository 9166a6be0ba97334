export function warn(text: string): void {
  // oxlint-disable-next-line no-console -- the page's developer finds it there
  console.warn(`svc widget: ${text}`);
}
