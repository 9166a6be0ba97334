import type { SmtpConfig } from '../../config/smtp-config.ts';
import { JobFailure } from '../../jobs/queue.ts';
import type { SendMail } from './mail.ts';

interface Address {
  name: string;
  address: string;
}

/** Provided by the wiring, which shares it with the email tool. */
export interface MailerDependencies {
  smtp: SmtpConfig;
  deliver(
    server: Omit<SmtpConfig, 'from'>,
    mail: { from: Address; to: Address[]; subject: string; text: string },
    signal: AbortSignal,
  ): Promise<unknown>;
  /** One sentence without secrets; undefined if the mail server is not the cause. */
  explain(error: unknown): string | undefined;
}

const withinMilliseconds = 45_000;

export function createMailer({ smtp, deliver, explain }: MailerDependencies): SendMail {
  const { from, ...server } = smtp;
  return async ({ to, subject, text }, signal) => {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(withinMilliseconds)]);
    try {
      const mail = { from: { name: '', address: from }, to: [{ name: '', address: to }], subject, text };
      await deliver(server, mail, deadline);
    } catch (error) {
      signal.throwIfAborted();
      const reason = deadline.aborted ? 'The mail server did not answer in time.' : explain(error);
      if (reason === undefined) throw error;
      // oxlint-disable-next-line eslint/preserve-caught-error -- it may repeat what was sent to the server, including the password
      throw new JobFailure(smtp.password ? reason.replaceAll(smtp.password, '***') : reason);
    }
  };
}
