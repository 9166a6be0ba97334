import { Kbd } from '../../kit/kbd.tsx';
import { keyNames } from './key-names.ts';

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
