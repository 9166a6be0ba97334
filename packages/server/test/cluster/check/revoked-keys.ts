import type { History } from '../history.ts';
import type { Stage } from '../stage/stage.ts';

/** A revoked key opens nothing, on any node. */
export async function checkRevokedKeys({ nodes }: Stage, history: History): Promise<void> {
  for (const entry of history.acknowledged) {
    if (entry.kind !== 'revocation') continue;
    for (const node of nodes) {
      const response = await fetch(`${node.url()}/api/v1/conversations`, {
        headers: { authorization: `Bearer ${entry.key}` },
      });
      await response.body?.cancel();
      if (response.status === 401) continue;
      history.find({ what: `${node.name} answers ${response.status} to a revoked key`, ids: [node.name] });
    }
  }
}
