/** People write `example.com/page`. */
export function withScheme(address: string): string {
  const text = address.trim();
  return text === '' || /^https?:\/\//i.test(text) ? text : `https://${text}`;
}
