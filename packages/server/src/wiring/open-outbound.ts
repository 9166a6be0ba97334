import type { Config } from '../config/config.ts';
import type { SmtpConfig } from '../config/smtp-config.ts';
import { createGuardedLane } from '../egress/guarded-lane.ts';
import { createMailer } from '../egress/mailer.ts';
import { createTrustedLane } from '../egress/trusted-lane.ts';
import { createMcpSessions } from '../tools/types/mcp/mcp-sessions.ts';
import { deliver } from '../tools/types/send-email/deliver.ts';
import { explainFailure } from '../tools/types/send-email/explain-email-failure.ts';

export type Outbound = ReturnType<typeof openOutbound>;

/** The lanes for outbound connections, and what keeps connections open on them. */
export function openOutbound({
  egressAllow: allow,
  dnsServers: nameServers,
  smtp,
}: Pick<Config, 'egressAllow' | 'dnsServers' | 'smtp'>) {
  const lane = createTrustedLane();
  const guardedLane = createGuardedLane({ allow, nameServers });
  const mcpSessions = createMcpSessions({ fetch: guardedLane.fetch });
  const mail = smtp && openMail(smtp);
  return {
    lane,
    guardedLane,
    mcpSessions,
    sendMail: mail?.send,
    async close(): Promise<void> {
      await mcpSessions.close();
      await guardedLane.close();
      await mail?.close();
      await lane.close();
    },
  };
}

/** The service's own mail server comes from the configuration: it may be in a private network. */
function openMail(smtp: SmtpConfig) {
  const lane = createGuardedLane({ allow: [smtp.host] });
  const send = createMailer({
    smtp,
    deliver: (server, mail, signal) => deliver(server, mail, lane.openSocket, signal),
    explain: explainFailure,
  });
  return { send, close: () => lane.close() };
}
