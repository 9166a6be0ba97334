const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The keys as they are printed on keyboards: `g a` is `G`, then `A`. */
export function keyNames(keys: string): string[][] {
  return keys.split(' ').map((press) =>
    press
      .split('+')
      .filter((key) => !key.startsWith('['))
      .map(keyName),
  );
}

function keyName(key: string): string {
  if (key === '$mod') return isApple ? '⌘' : 'Ctrl';
  if (key === 'Escape') return 'Esc';
  return key.length === 1 ? key.toUpperCase() : key;
}
