/** The beginning of a text: at most this many bytes of UTF-8, and no partial character. */
export function boundText(text: string, maxBytes: number): { text: string; cut: boolean } {
  if (Buffer.byteLength(text) <= maxBytes) return { text, cut: false };
  const bytes = Buffer.from(text).subarray(0, maxBytes);
  return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true }), cut: true };
}
