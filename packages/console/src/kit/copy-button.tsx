import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { copyText } from './copy-text.ts';
import { IconButton } from './icon-button.tsx';

interface CopyButtonProps {
  /** Computed only when it is copied, if that takes time. */
  text: string | (() => string);
  label?: string;
  className?: string;
}

export function CopyButton({ text, label = 'Copy', className }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);

  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [isCopied]);

  async function copy(): Promise<void> {
    setCopied(await copyText(typeof text === 'string' ? text : text()));
  }

  return (
    <IconButton
      label={isCopied ? 'Copied' : label}
      icon={isCopied ? <Check aria-hidden className="text-success-ink" /> : <Copy aria-hidden />}
      onPress={() => void copy()}
      {...(className && { className })}
    />
  );
}
