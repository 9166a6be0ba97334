import { useMutation } from '@tanstack/react-query';
import { PhoneOff } from 'lucide-react';
import { endCall } from '../../api/voice.ts';
import { useWorkspace } from '../../app/workspace-context.tsx';
import { Button } from '../../kit/button.tsx';
import { InlineError } from '../../kit/inline-error.tsx';

/** Hangs up. The call's own state says when it has. */
export function EndCallButton({ callId, label = 'End call' }: { callId: string; label?: string }) {
  const { api, can } = useWorkspace();
  const ending = useMutation({ mutationFn: () => endCall(api, callId) });
  if (!can('operator')) return null;
  return (
    <>
      <Button
        size="small"
        icon={<PhoneOff aria-hidden />}
        isBusy={ending.isPending}
        onPress={() => ending.mutate()}
      >
        {label}
      </Button>
      {ending.error && <InlineError error={ending.error} />}
    </>
  );
}
