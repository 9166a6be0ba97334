import { type BillingService, createBillingService } from '../billing/billing.service.ts';
import { createSpender, type Spender } from '../billing/spender.ts';
import type { Database } from '../database/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { ModelRegistry } from '../models/model-registry.ts';
import type { WorkspaceService } from '../workspaces/workspaces.service.ts';

export interface BillingOptions {
  database: Database;
  models: Pick<ModelRegistry, 'priceOf'>;
  workspaces: Pick<WorkspaceService, 'get'>;
  nodeId: string;
  clock: Clock;
}

export interface OpenedBilling {
  billing: BillingService;
  spender: Spender;
  /** The workspace's credit; null where it is unlimited. */
  creditOf(workspaceId: string): Promise<string | null>;
  /** Periodically: releases what nodes that are gone had reserved. */
  releaseAbandoned(): Promise<void>;
}

/** Billing with the credit of workspaces, which it does not know itself. */
export function openBilling({ database, models, workspaces, nodeId, clock }: BillingOptions): OpenedBilling {
  const creditOf = async (workspaceId: string) => (await workspaces.get(workspaceId)).creditUsd;
  const billing = createBillingService({ database, clock });
  return {
    billing,
    spender: createSpender({ database, models, creditOf, nodeId }),
    creditOf,
    releaseAbandoned: () => billing.releaseAbandoned(nodeId),
  };
}
