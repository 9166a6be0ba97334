import { Upload } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';

/** Takes files that are dropped anywhere on the page, and says so while they are above it. */
export function DropArea({ onFiles }: { onFiles: (files: File[]) => void }) {
  const [isOver, setOver] = useState(false);
  const take = useEffectEvent((event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) onFiles(files);
  });
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    // `relatedTarget` is empty only when the pointer leaves the window.
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => hasFiles(event) && take(event);
    window.addEventListener('dragover', over);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, []);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none fixed inset-2 z-40 flex items-center justify-center rounded-lg border-2 border-accent border-dashed bg-selected/90">
      <p className="flex items-center gap-2 font-semibold text-accent-ink text-xl">
        <Upload aria-hidden className="size-6" />
        Drop the files to add them
      </p>
    </div>
  );
}
