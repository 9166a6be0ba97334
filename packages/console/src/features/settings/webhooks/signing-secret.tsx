import { useMutation } from '@tanstack/react-query';
import { readWebhookSecret } from '../../../api/system.ts';
import { useWorkspace } from '../../../app/workspace-context.tsx';
import { Button } from '../../../kit/button.tsx';
import { CodeBlock } from '../../../kit/code-block.tsx';
import { InlineError } from '../../../kit/inline-error.tsx';

/** Read only when somebody wants to see it. */
export function SigningSecret({ botId, botName }: { botId: string; botName: string }) {
  const { api } = useWorkspace();
  const reading = useMutation({ mutationFn: () => readWebhookSecret(api, botId) });
  if (reading.data)
    return (
      <div className="max-w-2xl">
        <CodeBlock label={`Signing secret of ${botName}`} text={reading.data.webhook_secret} />
      </div>
    );
  return (
    <div className="flex flex-col items-start gap-2">
      <Button
        size="small"
        isBusy={reading.isPending}
        aria-label={`Show the signing secret of ${botName}`}
        onPress={() => reading.mutate()}
      >
        Show the signing secret
      </Button>
      {reading.error && <InlineError error={reading.error} />}
    </div>
  );
}
