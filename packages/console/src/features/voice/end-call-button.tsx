import { useMutation } from '@tanstack/react-query';
import { PhoneOff } from 'lucide-react';
import { endCall } from '../../api/voice.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { InlineError } from '../../kit/placeholders.tsx';

/** Hangs up. The call's own state says when it has. */
export function EndCallButton({ callId, size = 'normal' }: { callId: string; size?: 'small' | 'normal' }) {
  const { api, can } = useWorkspace();
  const ending = useMutation({ mutationFn: () => endCall(api, callId) });
  if (!can('operator')) return null;
  return (
    <>
      <Button
        size={size}
        icon={<PhoneOff aria-hidden />}
        isBusy={ending.isPending}
        onPress={() => ending.mutate()}
      >
        End call
      </Button>
      {ending.error && <InlineError error={ending.error} />}
    </>
  );
}
