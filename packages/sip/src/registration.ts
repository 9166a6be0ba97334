import { randomBytes } from 'node:crypto';
import { contactOf, trunkUri, type UserAgent } from './calls/user-agent.ts';
import { parseNameAddress } from './message/sip-addresses.ts';
import { headerOf, listOf, type ReceivedResponse } from './message/sip-message.ts';
import { backoffMs } from './sip-timers.ts';

export type Registration = ReturnType<typeof createRegistration>;

const wantedSeconds = 300;

/** Regularly tells the trunk where we are, so that it sends us the calls of our numbers. */
export function createRegistration(agent: UserAgent, username: string) {
  const { timers, log } = agent;
  const account = trunkUri(agent, username);
  const callId = randomBytes(16).toString('hex');
  const tag = randomBytes(8).toString('hex');
  let cseq = 0;
  let wanted = wantedSeconds;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let isRegistered = false;
  let isSending = false;
  /** The Contact that was last sent. */
  let contact = '';

  async function send(expires: number): Promise<ReceivedResponse | undefined> {
    const destination = await agent.peers.trunk();
    await agent.refreshAddress(destination);
    contact = contactOf(agent).value;
    const { promise, resolve } = Promise.withResolvers<ReceivedResponse | undefined>();
    agent.send(
      {
        method: 'REGISTER',
        uri: trunkUri(agent),
        destination,
        from: `<${account}>;tag=${tag}`,
        to: `<${account}>`,
        callId,
        nextCSeq: () => (cseq += 1),
        headers: [contactOf(agent), { name: 'expires', value: String(expires) }],
        limitMs: timers.trunkAnswer,
      },
      {
        onFinal(response) {
          if (!response) agent.peers.distrust(destination);
          resolve(response);
        },
      },
    );
    return promise;
  }

  /** Resolves after the first attempt, whether or not it succeeded. */
  async function register(): Promise<void> {
    isSending = true;
    const response = await send(wanted).catch((error: unknown) => {
      log.warn({ err: error }, 'The trunk could not be reached to register.');
      return undefined;
    });
    isSending = false;
    if (isStopped) return;
    const isAccepted = response !== undefined && response.status < 300;
    if (isAccepted) {
      if (!isRegistered) log.info('Registered with the trunk.');
      isRegistered = true;
      failures = 0;
    }
    // Our address may have changed while we waited.
    if (contact !== '' && contact !== contactOf(agent).value) return register();
    if (isAccepted) return next(grantedSeconds(response, contact) * 800);
    // The trunk requires a longer time between registrations.
    const minimum = response?.status === 423 ? Number(headerOf(response, 'min-expires')) : Number.NaN;
    if (minimum > wanted && minimum <= 86_400) wanted = minimum;
    if (isRegistered || failures === 0) {
      log.warn({ status: response?.status ?? 'none' }, 'The trunk did not register us; trying again.');
    }
    isRegistered = false;
    failures += 1;
    next(backoffMs(timers, failures));
  }

  function next(milliseconds: number): void {
    timer = setTimeout(() => void register(), milliseconds);
    timer.unref();
  }

  return {
    start: register,
    /** Our address has changed. */
    renew(): void {
      if (isSending || isStopped) return;
      clearTimeout(timer);
      void register();
    },
    /** Unregisters. */
    async stop(): Promise<void> {
      isStopped = true;
      clearTimeout(timer);
      if (isRegistered) await send(0);
    },
  };
}

/** How long the registration lasts. The trunk may list other contacts too. */
export function grantedSeconds(response: Pick<ReceivedResponse, 'headers'>, contact: string): number {
  const own = parseNameAddress(contact)?.uri;
  const contacts = listOf(response, 'contact').map(parseNameAddress);
  // Trunks may write our contact as they see it, behind an address translation.
  const listed =
    contacts.find((address) => address?.uri === own) ?? (contacts.length === 1 ? contacts[0] : undefined);
  const granted = listed?.parameters.get('expires');
  const seconds = Number(granted ?? headerOf(response, 'expires') ?? wantedSeconds);
  return Number.isInteger(seconds) ? Math.min(Math.max(seconds, 10), 86_400) : wantedSeconds;
}

/**
 * Regularly asks the trunk for a response: that keeps address translations open, and the log says when the trunk was gone. Returns what
 * stops it, and resolves when the current round has ended.
 */
export function startKeepAlive(agent: UserAgent) {
  const { peers, timers, log } = agent;
  const callId = randomBytes(16).toString('hex');
  let cseq = 0;
  let wasReachable = true;
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= check()
      .catch((error: unknown) => log.warn({ err: error }, 'The trunk could not be checked; trying again.'))
      .finally(() => (running = undefined));
  }, timers.keepAlive);
  timer.unref();

  async function check(): Promise<void> {
    await peers.refresh();
    const destination = await peers.trunk();
    await agent.refreshAddress(destination);
    const { promise, resolve } = Promise.withResolvers<void>();
    agent.send(
      {
        method: 'OPTIONS',
        uri: trunkUri(agent),
        destination,
        from: `<${trunkUri(agent, agent.settings.username ?? 'svc')}>;tag=${randomBytes(8).toString('hex')}`,
        to: `<${trunkUri(agent)}>`,
        callId,
        nextCSeq: () => (cseq += 1),
        headers: [contactOf(agent)],
        limitMs: timers.check,
      },
      {
        onFinal(response) {
          const isReachable = response !== undefined;
          if (isReachable && !wasReachable) log.info('The trunk responds again.');
          if (!isReachable && wasReachable) log.warn('The trunk does not respond.');
          wasReachable = isReachable;
          if (!isReachable) peers.distrust(destination);
          resolve();
        },
      },
    );
    await promise;
  }

  return async (): Promise<void> => {
    clearInterval(timer);
    await running;
  };
}
