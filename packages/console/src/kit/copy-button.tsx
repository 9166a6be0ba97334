import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { announce } from './announce.ts';
import { IconButton } from './icon-button.tsx';

interface CopyButtonProps {
  /** Computed only when it is copied, if that takes time. */
  text: string | (() => string);
  label?: string;
  className?: string;
}

export function CopyButton({ text, label = 'Copy', className }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);

  async function copy(): Promise<void> {
    await copyText(typeof text === 'string' ? text : text());
    setCopied(true);
    announce('Copied.');
    setTimeout(() => setCopied(false), 1500);
  }

  return (
    <IconButton
      label={isCopied ? 'Copied' : label}
      onPress={() => void copy()}
      {...(className && { className })}
    >
      {isCopied ? <Check aria-hidden className="text-success-ink" /> : <Copy aria-hidden />}
    </IconButton>
  );
}

/** The clipboard of browsers needs https or localhost, and may be refused; the older way works everywhere. */
export async function copyText(text: string): Promise<void> {
  const isDone = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  if (isDone) return;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'fixed opacity-0';
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
