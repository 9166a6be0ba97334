import type { Dialog } from '../dialog.ts';
import { headerOf, type ReceivedRequest } from '../message/sip-message.ts';
import type { UserAgent } from './user-agent.ts';
import { contactOf, trunkUri } from './user-agent.ts';

/** `refused`: the other side does not support transfers. `failed`: it has tried. */
export type ReferralOutcome = 'transferred' | 'refused' | 'failed';

/** Asks the other side to call another number instead of us (RFC 3515). */
export function createReferral(dialog: Dialog, agent: UserAgent) {
  let settle: ((outcome: ReferralOutcome) => void) | undefined;
  let isAccepted = false;

  return {
    refer(to: string): Promise<ReferralOutcome> {
      const { promise, resolve } = Promise.withResolvers<ReferralOutcome>();
      const limit = setTimeout(() => settle?.('failed'), agent.timers.transfer);
      isAccepted = false;
      settle = (outcome) => {
        clearTimeout(limit);
        settle = undefined;
        resolve(outcome);
      };
      const own = settle;
      const headers = [
        { name: 'refer-to', value: `<${trunkUri(agent, to)}>` },
        { name: 'referred-by', value: contactOf(agent).value },
        contactOf(agent),
      ];
      dialog.request(
        'REFER',
        { headers },
        {
          onFinal(response) {
            if (response && response.status < 300) isAccepted = true;
            else if (settle === own) settle('refused');
          },
        },
      );
      return promise;
    },
    /** A NOTIFY, which reports the progress. */
    receive(request: ReceivedRequest): void {
      isAccepted ||= settle !== undefined;
      const [, digits] = /^SIP\/2\.0 ([1-6]\d\d)/i.exec(request.body.toString('utf8', 0, 64)) ?? [];
      const status = Number(digits ?? 100);
      if (status >= 200) settle?.(status < 300 ? 'transferred' : 'failed');
      else if (/^terminated/i.test(headerOf(request, 'subscription-state') ?? '')) settle?.('failed');
    },
    /** The other side has hung up. Returns whether it did so because it has been transferred. */
    hungUp(): boolean {
      const isTransferred = settle !== undefined && isAccepted;
      settle?.(isTransferred ? 'transferred' : 'failed');
      return isTransferred;
    },
    /** The outcome is not needed any more. */
    close(): void {
      settle?.('failed');
    },
  };
}
