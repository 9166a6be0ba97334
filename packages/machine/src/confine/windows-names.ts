const devices = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;

/** Why Windows would not take the name literally. */
export function windowsNameProblem(name: string): string | undefined {
  if (name.includes(':')) return 'a colon names a stream or a drive';
  // oxlint-disable-next-line no-control-regex -- Windows refuses these characters in names
  if (/[<>"|?*\u0001-\u001f]/.test(name)) return 'Windows does not allow one of its characters';
  if (/[. ]$/.test(name)) return 'Windows drops dots and spaces at its end';
  if (devices.test(name.replace(/ +(?=\.|$)/g, ''))) return 'Windows reserves it for a device';
  return undefined;
}
