/** How a call ended. */
export interface SipCallEnd {
  cause:
    | 'remote_hangup'
    | 'local_hangup'
    | 'transferred'
    | 'busy'
    | 'no_answer'
    | 'declined'
    | 'time_limit'
    | 'failed';
  /** For the operator; contains no secrets. */
  detail?: string;
}

/** How a call ended that was not answered. `isPlaced`: the network has done its part. */
export interface DialOutcome {
  isPlaced: boolean;
  end: SipCallEnd;
}

const outcomes = {
  cancelled: { isPlaced: true, end: { cause: 'local_hangup' } },
  rang_too_long: { isPlaced: true, end: { cause: 'no_answer' } },
  no_common_audio: failed('The trunk and the service have no audio encoding in common.'),
  no_response: failed('The trunk does not respond.'),
  trunk_not_found: failed('The address of the trunk could not be found.'),
  no_route: failed('There is no network connection to the trunk.'),
} satisfies Record<string, DialOutcome>;

/** Why a call was not answered: we gave up, the trunk refused it, or it did not respond. */
export type DialFailure =
  | { reason: keyof typeof outcomes }
  | { reason: 'refused'; status: number; phrase: string };

export function dialOutcome(failure: DialFailure): DialOutcome {
  if (failure.reason !== 'refused') return outcomes[failure.reason];
  const { status, phrase } = failure;
  const cause = causes[status];
  const said = `${status} ${phrase.replaceAll(/[^ -~]/g, '').slice(0, 80)}`.trim();
  if (cause) return { isPlaced: true, end: { cause, detail: said } };
  if (status === 401 || status === 403 || status === 407) {
    return failed(`The trunk does not allow the call: ${said}.`);
  }
  return failed(`The trunk refused the call: ${said}.`);
}

function failed(detail: string): DialOutcome {
  return { isPlaced: false, end: { cause: 'failed', detail } };
}

const causes: Readonly<Record<number, SipCallEnd['cause'] | undefined>> = {
  408: 'no_answer',
  480: 'no_answer',
  486: 'busy',
  487: 'no_answer',
  600: 'busy',
  603: 'declined',
};
