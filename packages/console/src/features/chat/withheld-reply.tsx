import { ChevronRight, EyeOff } from 'lucide-react';
import type { ChatMessage } from './chat-types.ts';

/** What the model wrote and the user did not get. Only operators are sent it. */
export function WithheldReply({ withheld }: { withheld: NonNullable<ChatMessage['withheld']> }) {
  const { text, score } = withheld;
  return (
    <details className="group/withheld w-full max-w-[72ch] rounded-md bg-warning-tint text-sm text-warning-ink">
      <summary className="flex items-center gap-1.5 px-3 py-2 font-medium pointer-coarse:min-h-11">
        <EyeOff aria-hidden className="size-4 shrink-0" />
        Refused: another answer was withheld
        {score !== null && <span className="font-normal">(score {score.toFixed(2)})</span>}
        <ChevronRight
          aria-hidden
          className="ml-auto size-4 shrink-0 transition group-open/withheld:rotate-90"
        />
      </summary>
      <p className="whitespace-pre-wrap break-words px-3 pb-2 text-ink">{text ?? 'It was not kept.'}</p>
    </details>
  );
}
