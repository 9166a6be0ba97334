import { announce } from './announce.ts';
import { notify } from './toast.tsx';

/** Copies a text, and says whether it worked. */
export async function copyText(text: string): Promise<boolean> {
  const isDone = await writeClipboard(text);
  if (isDone) announce('Copied.');
  else notify({ text: 'The browser did not allow copying.', isError: true });
  return isDone;
}

/** The clipboard of browsers needs https or localhost, and may be refused; the older way works almost everywhere. */
async function writeClipboard(text: string): Promise<boolean> {
  const isDone = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  if (isDone) return true;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'fixed opacity-0';
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}
