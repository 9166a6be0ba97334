import { Kbd } from '../../kit/labels.tsx';

/** The keys of a shortcut. */
export function Keys({ keys }: { keys: string }) {
  return keyNames(keys).map((press, index) => (
    <span key={press.join('+')} className="flex items-center gap-1">
      {index > 0 && <span className="text-ink-3 text-xs">then</span>}
      {press.map((key) => (
        <Kbd key={key}>{key}</Kbd>
      ))}
    </span>
  ));
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The keys as they are printed on keyboards: `g a` is `G`, then `A`. */
function keyNames(keys: string): string[][] {
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
